import { createPublicKey, generateKeyPairSync } from "node:crypto"
import fc from "fast-check"
import t from "tap"
import { JoinFault } from "../../../../signer/core/join/fault.ts"
import { readRequest, requireTimely, writeRequest } from "../../../../signer/core/join/request.ts"

const NOW_MS = Date.UTC(2026, 10, 24)
const HOUR_MS = 3_600_000
const PREFIX = "countersign-join-request."
const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
const terms = { name: "api", address: "", expiresAtMs: NOW_MS + HOUR_MS }
const server = { ...terms, name: "fetcher", address: "fetcher.internal:7444" }

function faultOf(run: () => unknown): JoinFault {
  try {
    run()
  } catch (error) {
    if (error instanceof JoinFault) return error
    throw error
  }
  throw new Error("nothing was refused")
}

function readOrFault(line: string) {
  try {
    return readRequest(line)
  } catch (error) {
    if (error instanceof JoinFault) return error
    throw error
  }
}

t.test("a request says who asks, for which key, and has words of all of it", async (t) => {
  const key = newKey()
  for (const asked of [terms, server]) {
    const { name, address, expiresAtMs, publicKey, words } = readRequest(writeRequest(asked, key))
    t.strictSame({ name, address, expiresAtMs }, asked)
    t.ok(publicKey.equals(createPublicKey(key)))
    t.match(words, /^[a-z]+(?:-[a-z]+){7}$/)
  }
  const wordsWith = (change: object, by = key) =>
    readRequest(writeRequest({ ...server, ...change }, by)).words
  const all = [
    wordsWith({}),
    wordsWith({ name: "signer" }),
    wordsWith({ address: "signer.internal:7444" }),
    wordsWith({ expiresAtMs: NOW_MS }),
    wordsWith({}, newKey()),
  ]
  t.equal(new Set(all).size, all.length, "each member changes the words")
  t.equal(wordsWith({}), all[0], "the same request has the same words, whatever its signature")
})

t.test(
  "C-1852: a line with a character more at its end, or with other bits in its last one, is refused",
  async (t) => {
    // Lines of all lengths: what a reader that is not strict skips depends on it.
    for (const name of ["api", "apis", "worker"]) {
      const line = writeRequest({ ...terms, name }, newKey())
      t.equal(readRequest(`${line.slice(0, 60)}\n${line.slice(60)}`).name, name, "a mail may break it")
      const others = Array.from("ABCDEFGHabcdefgh01234567-_", (letter) => line.slice(0, -1) + letter)
      for (const other of [`${line}A`, `${line}AA`, ...others.filter((one) => one !== line)])
        t.ok(readOrFault(other) instanceof JoinFault, other.slice(-4))
    }
  },
)

t.test("W1: a line that was altered anywhere is refused, or says the same", async (t) => {
  const line = writeRequest(server, newKey())
  const original = readRequest(line)
  const bytes = Buffer.from(line.slice(PREFIX.length), "base64url")
  let refused = 0
  for (let at = 0; at < bytes.length; at++)
    for (let bit = 0; bit < 8; bit++) {
      const altered = Buffer.from(bytes)
      altered[at] = (altered[at] ?? 0) ^ (1 << bit)
      const read = readOrFault(PREFIX + altered.toString("base64url"))
      if (read instanceof JoinFault) refused++
      else t.strictSame({ ...read, publicKey: "" }, { ...original, publicKey: "" }, `byte ${at}, bit ${bit}`)
    }
  t.ok(refused > bytes.length * 8 - 20, `${refused} of ${bytes.length * 8} are refused`)
  t.equal(
    readRequest(`${line.slice(0, 90)}\n  ${line.slice(90)}\n`).digest,
    original.digest,
    "a mail breaks lines",
  )
})

t.test("no text makes the reader fail with anything but its own fault", async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      faultOf(() => readRequest(PREFIX + Buffer.from(bytes).toString("base64url")))
    }),
    { numRuns: 2_000 },
  )
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void faultOf(() => readRequest(text))))
})

t.test("a request without proof of possession is refused", async (t) => {
  const [own, stolen] = [newKey(), createPublicKey(newKey())]
  const point = stolen.export({ format: "der", type: "spki" }).subarray(-65)
  const compressed = Buffer.concat([Buffer.from([2 + ((point.at(-1) ?? 0) & 1)]), point.subarray(1, 33)])
  const bytes = Buffer.from(writeRequest(terms, own).slice(PREFIX.length), "base64url")
  const at = bytes.indexOf(Buffer.from([0x1a, 33])) + 2
  compressed.copy(bytes, at)
  t.match(
    faultOf(() => readRequest(PREFIX + bytes.toString("base64url"))),
    {
      kind: "refused",
      message: /not signed by its own key/,
    },
  )
})

t.test("a request counts for a day by the signer's clock", async (t) => {
  requireTimely(terms, NOW_MS)
  requireTimely(terms, terms.expiresAtMs)
  t.match(
    faultOf(() => requireTimely(terms, terms.expiresAtMs + 1)),
    {
      kind: "refused",
      message:
        /^the request expired at 2026-11-24T01:00:00.000Z, and it is 2026-11-24T01:00:00.001Z: make a new one$/,
    },
  )
  const late = { ...terms, expiresAtMs: NOW_MS + 25 * HOUR_MS }
  t.match(
    faultOf(() => requireTimely(late, NOW_MS)),
    { kind: "refused", message: /compare the clocks/ },
  )
  requireTimely({ ...terms, expiresAtMs: NOW_MS + 24 * HOUR_MS + 60_000 }, NOW_MS)
})

t.test("names and addresses that no certificate may have are refused on both hosts", async (t) => {
  const refused: [object, RegExp][] = [
    [{ name: "" }, /"" cannot be the name/],
    [{ name: "api,fetcher" }, /cannot be the name/],
    [{ name: "API" }, /lower-case/],
    [{ name: "../api" }, /cannot be the name/],
    [{ name: "ca" }, /"ca" cannot be the name of a process: it is the authority's/],
    [{ name: "a".repeat(64) }, /cannot be the name/],
    [{ name: "api\n" }, /cannot be the name/],
    [{ address: "api.internal:1" }, /api is the name of a caller, which has no address/],
    [{ name: "fetcher" }, /"" cannot be the address/],
    [{ name: "fetcher", address: "10.0.0.1:7444" }, /cannot be the address/],
    [{ name: "fetcher", address: "[::1]:7444" }, /cannot be the address/],
    [{ name: "fetcher", address: "fetcher.internal" }, /cannot be the address/],
    [{ name: "fetcher", address: "fetcher.internal:0" }, /cannot be the address/],
    [{ name: "fetcher", address: "fetcher.internal:65536" }, /cannot be the address/],
    [{ name: "fetcher", address: "fetcher..internal:1" }, /cannot be the address/],
    [{ name: "fetcher", address: "*.internal:1" }, /cannot be the address/],
  ]
  for (const [change, message] of refused)
    t.match(
      faultOf(() => writeRequest({ ...terms, ...change }, newKey())),
      { kind: "usage", message },
    )
  for (const address of ["localhost:1", "a.b-c.d2:65535", "10.0.0.internal:7443"])
    t.equal(readRequest(writeRequest({ ...server, address }, newKey())).address, address)
})

t.test("a line of the wrong kind says where it belongs", async (t) => {
  t.match(
    faultOf(() => readRequest("countersign-join-answer.AAAA")),
    {
      kind: "usage",
      message: /an answer belongs on the host that asked: join --answer LINE/,
    },
  )
  for (const text of ["", "hello", PREFIX, `${PREFIX}%`, PREFIX + "A".repeat(9_000), `x${PREFIX}AAAA`])
    t.match(
      faultOf(() => readRequest(text)),
      { kind: "usage", message: /which begins with countersign-join-request\.$/ },
    )
})
