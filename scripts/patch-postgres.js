// Patches the database driver, postgres 3.4.9, where the loss of a connection ends the process or hangs it: upstream
// issues 1066, 1154 and 1208. `npm ci` runs this file; an image that installs without scripts runs it by itself. It is
// plain JavaScript, so that the Node of an installation can run it. docs/adr/0015-patched-postgres.md says why.
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** Each text occurs once in the driver's file, and is replaced by the other. */
const PATCHES = [
  {
    // A transaction's next query came to a connection without socket, and waited for ever.
    from: `    if (terminated)
      return queryError(q, Errors.connection('CONNECTION_DESTROYED', options))
`,
    to: `    if (terminated || socket === null)
      return queryError(q, Errors.connection(terminated ? 'CONNECTION_DESTROYED' : 'CONNECTION_CLOSED', options))
`,
  },
  {
    // A write that was put off came after the socket was gone: a TypeError outside any promise.
    from: `  function nextWrite(fn) {
    const x = socket.write(chunk, fn)
`,
    to: `  function nextWrite(fn) {
    if (socket === null) {
      chunk = nextWriteTimer = null
      return false
    }
    const x = socket.write(chunk, fn)
`,
  },
  {
    // A cleared timer was taken for a waiting one, so that the next connection never sent its first message.
    from: `    clearImmediate(nextWriteTimer)
    socket.removeListener('data', data)
    socket.removeListener('connect', connected)
    idleTimer.cancel()
`,
    to: `    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null
    socket.removeListener('data', data)
    socket.removeListener('connect', connected)
    idleTimer.cancel()
`,
  },
  {
    // The query that waits for the connection fails with the loss. Nothing waits for the list of array types.
    from: `        return fetchArrayTypes()
`,
    to: `        return fetchArrayTypes().catch(noop)
`,
  },
  {
    from: `    query.execute()
  }

  function ErrorResponse(x) {
`,
    to: `    query.execute()
    query.catch(noop)
  }

  function ErrorResponse(x) {
`,
  },
]

const path = fileURLToPath(new URL("connection.js", import.meta.resolve("postgres")))
const before = readFileSync(path, "utf8")
const after = PATCHES.reduce(applyPatch, before)
if (after !== before) {
  // A new file, not the old one's bytes: a package manager may share those among installations.
  writeFileSync(`${path}.patched`, after)
  renameSync(`${path}.patched`, path)
}

function applyPatch(text, { from, to }) {
  if (text.includes(to)) return text
  if (text.split(from).length !== 2)
    throw new Error(
      `${path} is not of postgres 3.4.9; write patches for this version in scripts/patch-postgres.js`,
    )
  return text.replace(from, () => to)
}
