// The courier between log and witnesses: what it asks, and what it says of witnesses that are down, behind, ahead, or lie.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import t, { type Test } from "tap"
import { httpWitness, type LogWitness } from "../../../../services/api/signer/witness.ts"
import { WitnessCourier } from "../../../../services/api/signer/witness-courier.ts"
import type { WitnessReplies } from "../../../../services/api/signer/signer.ts"
import { Phase } from "../../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { readAddCheckpoint } from "../../../../signer/core/log/add-checkpoint.ts"
import { SignerOfLog } from "../../../harness/served-log.ts"
import { TestLog } from "../../../harness/signer-log.ts"

type Scripted = LogWitness & {
  asked: number[]
  answers: { status: number; text: string }[]
  head: Uint8Array | undefined
}

/** A witness that answers as the test prepared; without a prepared answer it cosigns. */
function scripted(name: string): Scripted {
  const witness: Scripted = {
    name,
    asked: [],
    answers: [],
    head: undefined,
    addCheckpoint: async (body) => {
      witness.asked.push(readAddCheckpoint(body)!.oldSize)
      return witness.answers.shift() ?? { status: 200, text: `${name} cosigns` }
    },
    latestHead: async () => witness.head,
  }
  return witness
}

async function fixture(t: Test) {
  const log = new TestLog(join(t.testdir(), "log"))
  log.decide(99)
  await log.sign()
  const signer = new SignerOfLog(log)
  const shown: [note: string, replies: WitnessReplies | undefined][] = []
  const original = signer.showCheckpoint.bind(signer)
  signer.showCheckpoint = (note: Uint8Array, replies?: WitnessReplies) => {
    shown.push([Buffer.from(note).toString(), replies])
    return original(note)
  }
  const [one, two] = [scripted("one"), scripted("two")]
  const lines: unknown[] = []
  const note = (...line: unknown[]) => lines.push(line)
  const courier = new WitnessCourier({
    signer,
    witnesses: [one, two],
    log: { warn: note, info: note } as never,
  })
  const last = () => shown.at(-1)?.[1]
  return { log, signer, shown, last, one, two, lines, courier }
}

t.test("each head goes to each witness once, with the proof from what it has", async (t) => {
  const { courier, one, two, log, last, shown } = await fixture(t)
  await courier.run()
  t.strictSame(last(), {
    cosignatures: ["one cosigns", "two cosigns"].map((text) => Buffer.from(text)),
    reports: [],
  })
  await courier.run()
  t.equal(shown.length, 1, "nothing new, nothing asked")
  log.decide(10)
  await log.sign()
  two.answers.push({ status: 409, text: "50\n" })
  await courier.run()
  t.strictSame(one.asked, [0, 100])
  t.strictSame(two.asked, [0, 100, 50], "asked again with the size that it named")
})

t.test("C-1723: a witness that refuses is reported, and the head that it kept is shown", async (t) => {
  const { courier, one, two, shown, last, lines, log } = await fixture(t)
  await courier.run()
  log.decide(1)
  await log.sign()
  one.head = Buffer.from("the head that it kept")
  for (const [answers, report] of [
    [[{ status: 409, text: "523\n" }], "one: cosigned 523 leaves, and this log has 101"],
    [
      [{ status: 422, text: "no" }],
      "one: cosigned another log of this origin, which this one of 101 leaves does not continue",
    ],
    [
      [
        { status: 409, text: "101\n" },
        { status: 409, text: "101\n" },
      ],
      "one: cosigned another log of this origin, which this one of 101 leaves does not continue",
    ],
  ] as const) {
    one.answers.push(...answers)
    const before = shown.length
    await courier.run()
    t.strictSame(last()?.reports, [report])
    t.strictSame(last()?.cosignatures.map(String), ["two cosigns"], "the other one counts")
    t.strictSame(
      shown.slice(before, -1).map(([note]) => note),
      ["the head that it kept"],
    )
  }
  for (const [status, text] of [
    [404, "unknown log"],
    [403, "no key"],
    [500, ""],
    [409, "many\n"],
    [200, ""],
  ] as const) {
    one.answers.push({ status, text })
    const before = shown.length
    await courier.run()
    if (status !== 200) t.strictSame(last()?.reports, [`one: refused with ${status}: ${text.trim()}`])
    t.equal(shown.length, before + 1, "no head is asked for")
  }
  two.addCheckpoint = () => Promise.reject(new Error("connect ECONNREFUSED"))
  one.answers.push({ status: 404, text: "unknown log" })
  t.ok(lines.length > 3, "each change is logged")
})

t.test(
  "W75: no witness cosigns an older copy before all were asked for the heads that they know",
  async (t) => {
    const { courier, one, two, signer } = await fixture(t)
    const newest = Buffer.from("a head of the newest ledger")
    let phase: Phase = Phase.UNWITNESSED
    const read = signer.readLog.bind(signer)
    signer.readLog = async (...place) => ({ ...(await read(...place)), phase })
    const show = signer.showCheckpoint.bind(signer)
    signer.showCheckpoint = async (note) => {
      const contradicted = newest.equals(note)
      if (contradicted) phase = Phase.LEDGER_OLDER
      return { ...(await show(note)), contradicted }
    }
    two.head = newest
    one.latestHead = () => Promise.reject(new Error("connect ECONNREFUSED"))
    await courier.run()
    t.same([...one.asked, ...two.asked], [], "one is behind, and would cosign")
    two.head = undefined
    await courier.run()
    t.same([...one.asked, ...two.asked], [], "nor once the signer has halted")
    phase = Phase.READY
    await courier.run()
    t.strictSame([one.asked, two.asked], [[0], [0]])
  },
)

t.test(
  "W75: a copy that begins to serve under the same courier is not brought before the heads are asked for",
  async (t) => {
    const { courier, one, two, signer, log } = await fixture(t)
    const older = await signer.readLog()
    log.decide(5)
    await log.sign()
    await courier.run()
    const asked = one.asked.length
    const read = signer.readLog.bind(signer)
    signer.readLog = async (...place) => ({ ...(await read(...place)), checkpoint: older.checkpoint })
    const show = signer.showCheckpoint.bind(signer)
    signer.showCheckpoint = async (note) => ({ ...(await show(note)), contradicted: true })
    two.head = Buffer.from("a head of the newest ledger")
    await courier.run()
    t.equal(one.asked.length, asked)
  },
)

t.test("W75: a head that a lying witness makes up keeps no other from cosigning", async (t) => {
  const { courier, one, two, signer } = await fixture(t)
  const show = signer.showCheckpoint.bind(signer)
  const madeUp = Buffer.from("made up")
  signer.showCheckpoint = async (note) => {
    if (madeUp.equals(note)) throw new Error("the signer refuses it")
    return show(note)
  }
  one.head = madeUp
  await courier.run()
  t.strictSame([one.asked, two.asked], [[0], [0]])
})

t.test("W152: a cosignature that the signer did not count is reported", async (t) => {
  const { courier, one, two, signer, shown } = await fixture(t)
  const named = (name: string) => ({
    status: 200,
    text: `— ${name} ${Buffer.alloc(76).toString("base64")}\n`,
  })
  const show: (note: Uint8Array, replies?: WitnessReplies) => ReturnType<typeof signer.showCheckpoint> =
    signer.showCheckpoint.bind(signer)
  const count = (witnesses: number, ...counted: string[]) => {
    signer.showCheckpoint = async (note, replies?: WitnessReplies) => ({
      ...(await show(note, replies)),
      counted,
      witnesses,
    })
  }
  const run = async () => {
    one.answers.push(named("witness.example/1"))
    two.answers.push(named("witness.example/2"))
    const before = shown.length
    await courier.run()
    return shown.slice(before).map(([, replies]) => replies?.reports)
  }
  count(2, "witness.example/1")
  const said = [
    "two: a signature by witness.example/2, which is not of a witness that the signer names, or not valid",
  ]
  t.strictSame(await run(), [[], said])
  t.strictSame(await run(), [[], said], "it is asked again")
  count(0)
  t.strictSame(await run(), [[]], "a signer that names no witnesses counts none")
})

t.test("a witness that does not answer holds up no other one", async (t) => {
  const { courier, one, last } = await fixture(t)
  one.addCheckpoint = () => Promise.reject(new Error("connect ECONNREFUSED"))
  await courier.run()
  t.strictSame(last()?.reports, ["one: no answer (connect ECONNREFUSED)"])
  t.strictSame(last()?.cosignatures.map(String), ["two cosigns"])
})

t.test("a reply without end, a redirect and a wrong body are no reply", async (t) => {
  const server = createServer((request, response) => {
    if (request.url === "/a/add-checkpoint") return void response.end("x".repeat(20 * 1024))
    if (request.url === "/b/add-checkpoint")
      return void response.writeHead(307, { Location: "/c/add-checkpoint" }).end()
    return void response.writeHead(request.url?.startsWith("/c/head/") ? 200 : 404).end("head")
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  t.teardown(() => void server.close())
  const at = (path: string) =>
    httpWitness(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`))
  await t.rejects(at("a").addCheckpoint(Buffer.from("old 0")), /more than 16384 bytes/)
  await t.rejects(at("b").addCheckpoint(Buffer.from("old 0")))
  t.strictSame(Buffer.from((await at("c/").latestHead("origin"))!).toString(), "head")
  t.equal(await at("d").latestHead("origin"), undefined)
})
