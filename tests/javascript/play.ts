/** Two people at a table of every edition, whoever made their client. */

interface Ask { ask: number; seats: number[]; yours: boolean; options: { choice: string }[] | null }
interface Table { status: string; asks: Ask[]; winners: number[] | null }

export type Edition = "classic" | "modern" | "royale" | "cards";
export interface Client {
  create(edition: Edition, names: string[]): Promise<{ id: string; tokens: string[] }>;
  show(game: string, token?: string): Promise<Table>;
  choose(game: string, token: string, answer: { ask: number; choice: string }): Promise<Table>;
  /** The type of each event, as the generated union has it. */
  readLog(game: string): Promise<string[]>;
  isVerified(game: string): Promise<boolean>;
  /** The code of the problem when somebody answers without a token. */
  refuse(game: string): Promise<string>;
}

export const base = process.argv[2] ?? "http://127.0.0.1:8000";

function demand(held: boolean, what: string): void {
  if (!held) throw new Error(what);
}

function pick<T>(things: T[]): T {
  return things[Math.floor(Math.random() * things.length)]!;
}

async function answer(client: Client, game: string, token: string): Promise<Table> {
  const ask = (await client.show(game, token)).asks.find((asked) => asked.yours);
  if (!ask?.options) throw new Error("who is asked sees no options");
  return client.choose(game, token, { ask: ask.ask, choice: pick(ask.options).choice });
}

async function play(client: Client, edition: Edition): Promise<number> {
  const made = await client.create(edition, ["Anna", "बेन 👩‍🚀"]);
  demand((await client.refuse(made.id)) === "unauthorized", "a choice without a token is refused");
  let table = await client.show(made.id);
  let choices = 0;
  for (; table.status !== "over"; choices++)
    table = await answer(client, made.id, made.tokens[table.asks[0]!.seats[0]!]!);
  demand(!!table.winners?.length, "somebody wins");
  demand((await client.readLog(made.id))[0] === "game_created", "the log begins with the game");
  demand(await client.isVerified(made.id), "the game verifies");
  return choices;
}

export async function playAll(name: string, client: Client): Promise<void> {
  for (const edition of ["classic", "modern", "royale", "cards"] as const)
    console.log(`${name} played ${edition}: ${await play(client, edition)} choices`);
}
