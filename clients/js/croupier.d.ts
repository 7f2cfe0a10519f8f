// The types of croupier.js; those of replies are generated from the contract.
import type { ChoiceReply, Commit, Editions, GameReply, NewGame, OpenAsk, PlayerReply, SeatTakenReply, Table } from "./contract";

export * from "./contract";

export interface FeedEvent {
  id: string;
  game: string;
  edition: string;
  version: number;
  type: string;
  seat: number | null;
  awaits: number[];
  sentence: string;
}

export interface More {
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly problem: Record<string, unknown>;
}

export class InvalidWebhook extends Error {}

export class Croupier {
  constructor(base?: string, caller?: { token?: string; player?: string; language?: string; retries?: number[] });
  readonly base: string;
  readonly token?: string;
  as(token: string): Croupier;
  actingFor(player: string): Croupier;
  send(method: string, path: string, more?: More): Promise<any>;
  call(method: string, path: string, more?: More): Promise<any>;
  get(path: string, query?: Record<string, unknown>, more?: More): Promise<any>;
  post(path: string, body?: unknown, more?: More): Promise<any>;
  editions(): Promise<Editions>;
  createPlayer(name: string): Promise<PlayerReply>;
  createGame(plan: NewGame): Promise<GameReply>;
  takeSeat(game: string, body: { name?: string; code?: string; entropy?: string; seat?: number }): Promise<SeatTakenReply>;
  table(game: string, options?: { at?: number }): Promise<Table>;
  choose(game: string, ask: number, choice: string): Promise<ChoiceReply>;
  ticket(game?: string): Promise<string>;
  turns(game: string, options?: { signal?: AbortSignal }): AsyncGenerator<OpenAsk>;
  commitsAfter(game: string, after?: number): Promise<Commit[]>;
  follow(
    game: string,
    options: {
      after?: number;
      sentences?: boolean;
      onCommit?: (commit: Commit) => void;
      onState?: (state: "live" | "lost" | "over" | "reset") => void;
    },
  ): () => void;
  feed(options?: { after?: string; signal?: AbortSignal }): AsyncGenerator<FeedEvent | { reset: true; next: string }>;
}

export function readWebhook(secret: string, headers: HeadersInit, body: string, tolerance?: number): Promise<FeedEvent>;
export function gamePath(game: string): string;
export function uuid(): string;
