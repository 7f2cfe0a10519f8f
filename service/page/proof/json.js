// JSON as commits are written: read strictly, written canonically.
// The browser's own reader keeps the last of two members with one name, rounds long numbers and takes half
// characters. Each of these would let two readers of one file believe different things.
import { Refused } from "./refused.js";

export const DEEPEST = 64;
const SPACE = /[\t\n\r ]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const HALF = /\p{Surrogate}/u;
const WORDS = [["true", true], ["false", false], ["null", null]];

export function readJson(source) {
  const reader = new Reader(source);
  const value = reader.value(0);
  reader.space();
  return reader.at === source.length ? value : reader.fail();
}

class Reader {
  constructor(source) {
    this.source = source;
    this.at = 0;
  }

  fail(what = "no_json", values = {}) {
    throw new Refused(what, { character: this.at + 1, ...values });
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  space() {
    this.match(SPACE);
  }

  take(text) {
    this.space();
    const there = this.source.startsWith(text, this.at);
    if (there) this.at += text.length;
    return there;
  }

  value(depth) {
    if (depth > DEEPEST) this.fail("too_deep");
    if (this.take("{")) return this.object(depth + 1);
    if (this.take("[")) return this.list(depth + 1);
    const next = this.source[this.at];
    if (next === '"') return this.text();
    return next === "-" || (next >= "0" && next <= "9") ? this.number() : this.word();
  }

  object(depth) {
    const members = {};
    if (this.take("}")) return members;
    do {
      this.space();
      const name = this.text();
      // Assigning this one would change what the object is.
      if (name === "__proto__") this.fail("odd_member", { name });
      if (Object.hasOwn(members, name)) this.fail("twins", { name });
      if (!this.take(":")) this.fail();
      members[name] = this.value(depth);
    } while (this.take(","));
    return this.take("}") ? members : this.fail();
  }

  list(depth) {
    const items = [];
    if (this.take("]")) return items;
    do items.push(this.value(depth));
    while (this.take(","));
    return this.take("]") ? items : this.fail();
  }

  text() {
    const found = this.match(TEXT);
    if (!found) this.fail();
    const text = JSON.parse(found[0]);
    return HALF.test(text) ? this.fail("half_character") : text;
  }

  // Whole, and small enough to be told apart from its neighbours: no commit has another.
  number() {
    const found = this.match(NUMBER);
    if (!found) this.fail();
    const value = Number(found[0]);
    const odd = found[1] || found[2] || Object.is(value, -0) || !Number.isSafeInteger(value);
    return odd ? this.fail("odd_number") : value;
  }

  word() {
    for (const [word, value] of WORDS) if (this.take(word)) return value;
    return this.fail();
  }
}

// Keys sorted, no white space: what hashes are taken over.
export function canonical(thing) {
  if (Array.isArray(thing)) return `[${thing.map(canonical).join(",")}]`;
  if (thing === null || typeof thing !== "object") return JSON.stringify(thing);
  const names = Object.keys(thing).sort(byCodePoint);
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(thing[name])}`).join(",")}}`;
}

// As UTF-8 sorts, which is not quite as JavaScript does.
function byCodePoint(one, other) {
  const left = [...one];
  const right = [...other];
  for (let place = 0; place < Math.min(left.length, right.length); place += 1) {
    const apart = left[place].codePointAt(0) - right[place].codePointAt(0);
    if (apart) return apart;
  }
  return left.length - right.length;
}
