// Patches the database driver, postgres 3.4.9, where the loss of a connection ends the process, hangs it or leaves its
// pool without the connection. `npm ci` runs this file; an image that installs without scripts runs it by itself. It is
// plain JavaScript, so that the Node of an installation can run it. docs/adr/0015-patched-postgres.md says why.
import { createHash } from "node:crypto"
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { FORMER, PATCHES, PUBLISHED } from "./postgres-patches.js"

for (const [name, patches] of Object.entries(PATCHES)) {
  const path = fileURLToPath(new URL(name, import.meta.resolve("postgres")))
  const before = readFileSync(path, "utf8")
  const after = patches.reduce(apply, publishedText(name, before))
  if (after === before) continue
  // A new file, not the old one's bytes: a package manager may share those among installations.
  writeFileSync(`${path}.patched`, after)
  renameSync(`${path}.patched`, path)
}

/** The text without the patches of this release or of an earlier one. */
function publishedText(name, text) {
  for (const patches of [[], PATCHES[name], FORMER[name] ?? []]) {
    const published = patches.reduceRight((patched, { from, to }) => replaceOnce(patched, to, from), text)
    if (createHash("sha256").update(published).digest("hex") === PUBLISHED[name]) return published
  }
  throw new Error(
    `${name} of the package postgres is not of version 3.4.9; write patches for this version in scripts/postgres-patches.js`,
  )
}

function apply(text, { from, to }) {
  if (text.split(from).length !== 2) throw new Error(`a patch does not fit once: ${from}`)
  return text.replace(from, () => to)
}

function replaceOnce(text, old, replacement) {
  return text.split(old).length === 2 ? text.replace(old, () => replacement) : text
}
