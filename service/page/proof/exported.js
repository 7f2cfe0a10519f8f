// Reads a file that a game was exported to: NDJSON, with or without a first line that says what it is, a list of
// commits, or pages as /events gives them.
import { readJson } from "./json.js";
import { Refused } from "./refused.js";

const MIB = 1024 * 1024;
// Far above any game: the longest have some hundred commits of some hundred bytes.
export const LARGEST_FILE = 8 * MIB;
const LONGEST_LINE = 2 * MIB;
const MOST_COMMITS = 10_000;
// Without the empty ones. Pages may hold nothing, so commits alone do not tell how long a file goes on.
const MOST_LINES = MOST_COMMITS + 1;
// Of use to the server that stores a commit; what they say would be nobody's word.
const UNHASHED = ["key", "request", "imported"];
// The second has a signature in its header.
const HEADERS = ["croupier/1", "croupier/2"];

export async function readFile(file) {
  if (file.size > LARGEST_FILE) throw new Refused("too_large", { mebibytes: LARGEST_FILE / MIB });
  return readExport(new Uint8Array(await file.arrayBuffer()));
}

// The commits, and the header where there is one.
export function readExport(bytes) {
  if (bytes.length > LARGEST_FILE) throw new Refused("too_large", { mebibytes: LARGEST_FILE / MIB });
  const documents = splitDocuments(decode(bytes));
  const [first] = documents;
  const header = HEADERS.includes(first?.format) ? first : null;
  const commits = header ? documents.slice(1) : documents;
  if (!commits.length) throw new Refused("empty");
  if (commits.length > MOST_COMMITS) throw new Refused("too_many", { commits: MOST_COMMITS });
  commits.forEach(refuseOther);
  return { commits, header };
}

function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refused("no_text");
  }
}

// One document a line, else the file as one document: a list that was indented spans many lines.
function splitDocuments(text) {
  const lines = text.split("\n");
  try {
    return readLines(lines);
  } catch (refusal) {
    if (lines.length === 1 || refusal.what !== "no_json" || text.length > LONGEST_LINE) throw refusal;
    return wholeDocument(text, refusal);
  }
}

function wholeDocument(text, refusal) {
  try {
    return commitsIn(readJson(text));
  } catch (other) {
    throw other.what === "no_json" ? refusal : other;
  }
}

function readLines(lines) {
  const commits = [];
  let read = 0;
  for (const [number, line] of lines.entries()) {
    if (!line.trim()) continue;
    read += 1;
    const found = readLine(line, number + 1);
    if (commits.length + found.length > MOST_LINES || read > MOST_LINES) {
      throw new Refused("too_many", { commits: MOST_COMMITS });
    }
    commits.push(...found);
  }
  return commits;
}

function readLine(line, number) {
  if (line.length > LONGEST_LINE) throw new Refused("line_too_long", { line: number });
  try {
    return commitsIn(readJson(line));
  } catch (refusal) {
    throw new Refused(refusal.what, { ...refusal.values, line: number });
  }
}

function commitsIn(document) {
  if (Array.isArray(document)) return document;
  return Array.isArray(document?.commits) ? document.commits : [document];
}

function refuseOther(commit, index) {
  if (typeof commit?.format === "string") throw new Refused("several", {}, index + 1);
  for (const name of UNHASHED) {
    if (commit && Object.hasOwn(commit, name)) throw new Refused("unhashed", { name }, index + 1);
  }
}
