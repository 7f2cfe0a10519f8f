// Why a file, or a commit in it, is not believed: `what` names the reason, `values` fill the sentence.
export class Refused extends Error {
  constructor(what, values = {}, version = null) {
    super(version === null ? what : `${what} at version ${version}`);
    Object.assign(this, { what, values, version });
  }
}
