// Tables over processes: each way in which a ledger and its log can be another one, found out through a witness at start and while the
// signer runs; and each way in which a witness can fail or lie, named in the status, without a halt.
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import t, { type Test } from "tap"
import { signCheckpoint } from "../../signer/core/log/checkpoint.ts"
import { LEAF_BYTES } from "../../signer/core/log/leaf.ts"
import { readNote } from "../../signer/core/log/note.ts"
import { ED25519, noteSigner, readNoteKey } from "../../signer/core/log/note-key.ts"
import { RECORD_BYTES } from "../../signer/enclave/log/segments.ts"
import { ApiClient } from "../harness/api-client.ts"
import { casesOf, isLong } from "../harness/long.ts"
import { CourieredSigner } from "../harness/couriered-signer.ts"
import { patienceMs } from "../harness/patience.ts"
import { cosign, type ScriptedReply, ScriptedWitness } from "../harness/scripted-witness.ts"
import { newKey } from "../harness/stamper.ts"
import { WitnessProcess } from "../harness/witness.ts"
import { newLogKey, newWitnessKey } from "../harness/witness-keys.ts"

t.setTimeout(patienceMs(600_000))

/** The key of the signer's log, as an operator gives it to witnesses. */
async function logKeyOf({ boundary }: CourieredSigner): Promise<string> {
  const client = boundary.client()
  const { checkpoint } = await client.call.readLog({})
  const { text = "", signatures } = readNote(checkpoint) ?? {}
  const { explanation } = await boundary.operate((call) => call.getStatus({}))
  client.close()
  // The status names the key while no witness has cosigned.
  const [key = ""] = explanation.match(/countersign\/\S+\+[0-9a-f]{8}\+[\w+/=]+/) ?? []
  if (readNoteKey(key)?.name !== text.split("\n")[0]) throw new Error(`no key of a log in: ${explanation}`)
  return signatures === undefined ? "" : key
}

/** A signer with an organization, an honest witness that knows its log, and one that cosigns whatever it is asked. */
async function witnessed(t: Test) {
  const signer = await CourieredSigner.start(t)
  const honest = await WitnessProcess.init("witness.example/honest")
  t.teardown(() => honest.close())
  const lying = await ScriptedWitness.start(t, "witness.example/lying")
  const client = new ApiClient(signer.boundary)
  const { organizationId, root } = await client.createOrganization()
  const create = () =>
    client.send(
      client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, {
        walletName: `w${Math.random()}`,
        accounts: [],
      }),
      root,
    )
  await signer.restartWith([honest])
  const logKey = await logKeyOf(signer)
  return { signer, honest, lying, create, logKey }
}

let shared: ReturnType<typeof witnessed> | undefined
/** The signer of all tests here: each leaves it with its newest ledger. */
const sharedSigner = () => (shared ??= witnessed(t))

type Copies = { [name in "older" | "newest" | "forked"]: string }

/** Ledgers that lie where the newest one should, by how they came about. Each puts one into the empty place. */
const LEDGERS: { readonly [name: string]: (ledger: string, copies: Copies) => void } = {
  "an older copy": (ledger, { older }) => cpSync(older, ledger, { recursive: true }),
  "a fork: a second signer that went on from one copy": (ledger, { forked }) =>
    cpSync(forked, ledger, { recursive: true }),
  "a clone, whose original went on": (ledger, { newest }) => cpSync(newest, ledger, { recursive: true }),
  "a truncated tail of the log, with an older checkpoint": (ledger, { newest, older }) => {
    cpSync(newest, ledger, { recursive: true })
    const [checkpoint, leaves] = ["checkpoint", "leaves-00000000"].map((name) => join("log", name)) as [
      string,
      string,
    ]
    cpSync(join(older, checkpoint), join(ledger, checkpoint))
    const { length } = readFileSync(join(older, leaves))
    truncateSync(join(ledger, leaves), length + RECORD_BYTES)
  },
  "a changed leaf, without the checkpoint that knows it": (ledger, { newest }) => {
    cpSync(newest, ledger, { recursive: true })
    rmSync(join(ledger, "log", "checkpoint"))
    const file = join(ledger, "log", "leaves-00000000")
    const records = readFileSync(file)
    records[3 * RECORD_BYTES + LEAF_BYTES - 1]! ^= 1
    const leaf = records.subarray(3 * RECORD_BYTES, 3 * RECORD_BYTES + LEAF_BYTES)
    records.writeUInt32BE(crc32(leaf), 3 * RECORD_BYTES + LEAF_BYTES)
    writeFileSync(file, records)
  },
}

/**
 * Each ledger at both moments; the first half of the list has each once. An older copy at start is also in
 * test/e2e/witnesses.test.ts.
 */
const CASES = casesOf(
  1,
  [0, 1].flatMap((half) =>
    Object.keys(LEDGERS).map(
      (name, at) => [name, (at + half) % 2 === 0 ? "while it runs" : "at start"] as const,
    ),
  ),
)

const FOUND = /^LEDGER_OLDER: /

t.test(
  "W105: each other ledger is found out through a witness, at start and while the signer runs",
  async (t) => {
    const { signer, honest, lying, create, logKey } = await sharedSigner()
    const { ledger } = signer.boundary
    const copyAs = (name: string) => {
      const copy = join(t.testdirName, name)
      cpSync(ledger, copy, { recursive: true })
      return copy
    }
    t.testdir()
    const put = (from: string) => {
      rmSync(ledger, { recursive: true })
      cpSync(from, ledger, { recursive: true })
    }
    await honest.start(logKey)
    await signer.until(/^READY/)
    await create()
    let older = ""
    await signer.restartWith([honest], () => (older = copyAs("older")))
    await signer.until(/^READY/)
    for (let change = 0; change < 3; change++) t.match(await create(), { is: "outcome" })
    let newest = ""
    let forked = ""
    if (isLong) {
      await signer.restartWith([], () => {
        newest = copyAs("newest")
        put(older)
      })
      for (let act = 0; act < 40; act++) await signer.boundary.createSetupCode(newKey().publicKeyHex)
      await signer.restartWith([honest], () => {
        forked = copyAs("forked")
        put(newest)
      })
      await signer.until(/^READY/)
    }
    // The original of the clone went on.
    t.match(await create(), { is: "outcome" })
    let original = ""
    const found: string[] = []
    for (const [name, moment] of CASES) {
      const change = () => {
        original ||= copyAs("original")
        rmSync(ledger, { recursive: true })
        LEDGERS[name]!(ledger, { older, newest, forked })
      }
      if (moment === "while it runs") {
        await honest.kill()
        await signer.restartWith([lying, honest], change)
        await signer.until(/^READY/)
        await honest.start(logKey)
      } else await signer.restartWith([honest], change)
      t.match(await signer.until(FOUND), FOUND, `${name}, ${moment}`)
      t.match(await create(), { is: "refused", code: /^LEDGER_/ }, "nothing is decided")
      t.match(readFileSync(join(ledger, "log", "contradiction"), "utf8"), /^countersign\//)
      found.push(name)
    }
    t.equal(new Set(found).size, isLong ? Object.keys(LEDGERS).length : CASES.length, "n of n")
    await signer.restartWith([honest], () => put(original))
    await signer.until(/^READY/)
    t.match(await create(), { is: "outcome" }, "the newest one is no other")
  },
)

type Scripted = {
  /** What the witness does to be named so. */
  readonly answer: (witness: ScriptedWitness, body: Uint8Array) => ScriptedReply
  readonly head?: (origin: string) => Uint8Array
  readonly said: RegExp
}

const reply = (status: number, text: string) => (): ScriptedReply => ({ status, text })

const UNCOUNTED =
  /a signature by witness\.example\/lying, which is not of a witness that the signer names, or not valid/

/** The first four differ most. */
const WITNESSES: { readonly [name: string]: Scripted } = {
  "does not answer": { answer: () => "silence", said: /no answer/ },
  "cosigns with a wrong signature": {
    answer: ({ signer }, body) => {
      const other = cosign(Buffer.from(body.toString().replace("old ", "old 1")), signer)
      if (other === "silence") return other
      const signature = Buffer.from(other.text.split(" ")[2] ?? "", "base64")
      signature[signature.length - 1]! ^= 1
      return { status: 200, text: `— ${signer.key.name} ${signature.toString("base64")}\n` }
    },
    said: UNCOUNTED,
  },
  "claims to know more, with a head that another key signed": {
    answer: reply(409, "1000000\n"),
    head: (origin) => Buffer.from(noteOf(newLogKey(origin), 1_000_000)),
    said: /cosigned 1000000 leaves/,
  },
  "does not know the log": { answer: reply(404, "unknown log"), said: /refused with 404: unknown log/ },
  "answers without an end": {
    answer: reply(200, "x".repeat(20_000)),
    said: /no answer \(its reply has more than/,
  },
  "cosigns with another key of its name": {
    answer: ({ signer }, body) => cosign(body, newWitnessKey(signer.key.name)),
    said: UNCOUNTED,
  },
  "cosigns another head": {
    answer: ({ signer }) =>
      cosign(Buffer.from(`old 0\n\n${noteOf(newLogKey("example.com/log"), 7)}`), signer),
    said: UNCOUNTED,
  },
  "answers no signature": { answer: reply(200, "yes"), said: /a reply without a signature/ },
  "does not believe the log's key": { answer: reply(403, "no key"), said: /refused with 403: no key/ },
  fails: { answer: reply(500, "disk full"), said: /refused with 500: disk full/ },
  "is behind, whatever it is shown": {
    answer: reply(409, "2\n"),
    said: /cosigned another log of this origin, which this one of \d+ leaves does not continue/,
  },
  "claims to know more, and shows nothing": {
    answer: reply(409, "1000000\n"),
    said: /cosigned 1000000 leaves, and this log has \d+/,
  },
  "claims a fork, with the head of another log": {
    answer: reply(422, "no"),
    head: () => Buffer.from(noteOf(newLogKey("countersign/other/1"), 3)),
    said: /cosigned another log of this origin/,
  },
  "claims a fork, with no note as its head": {
    answer: reply(422, "no"),
    head: () => Buffer.from("head"),
    said: /cosigned another log of this origin/,
  },
}

const noteOf = (log: ReturnType<typeof newLogKey>, size: number) =>
  signCheckpoint({ origin: log.key.name, size, root: Buffer.alloc(32, 7) }, log)

t.test("W152: a witness that fails or lies is named with what it does, and halts nothing", async (t) => {
  const { signer, honest, lying, create, logKey } = await sharedSigner()
  const origin = readNoteKey(logKey)!.name
  await honest.kill()
  await honest.start(logKey)
  await signer.restartWith([honest, lying])
  await signer.until(/^READY: answers everything$/)
  const cosigns = lying.answer
  for (const [name, { answer, head, said }] of casesOf(4, Object.entries(WITNESSES))) {
    Object.assign(lying, { answer: (body: Uint8Array) => answer(lying, body), head: head?.(origin) })
    t.match(await create(), { is: "outcome" }, name)
    const status = await signer.until(new RegExp(`reported: ${lying.url}: .*${said.source}`))
    t.match(status, /^READY: answers everything; /, "no false halt")
    Object.assign(lying, { answer: cosigns, head: undefined })
    await signer.until(/^READY: answers everything$/)
  }
  t.match(await create(), { is: "outcome" })
})

// In the short form, test/e2e/witnesses.test.ts alone names the witnesses that are missing at start.
const skip = isLong ? false : "long form: npm run test:long -- test/e2e/witness-tables.test.ts"
t.test("W152: at start such a witness does not count, and is named as missing", { skip }, async (t) => {
  const { signer, lying } = await sharedSigner()
  // Its own key, and its own name, as a log signs.
  const log = noteSigner("witness.example/lying", ED25519, lying.signer.privateKey)
  lying.answer = (body) => ({ status: 200, text: noteOf(log, body.length).split("\n\n")[1] ?? "" })
  await signer.restartWith([lying])
  const status = await signer.until(/^UNWITNESSED: .*reported: /)
  t.match(status, /missing: witness\.example\/lying;/)
  t.match(status, UNCOUNTED)
})
