import type { DescMethod } from "@bufbuild/protobuf"
import t from "tap"
import { RefusalCode, RefusalCodeSchema } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { OperatorService } from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { type ExecuteResponse, SignerService } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { UnlockService } from "../../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import { Health } from "../../../proto/gen/grpc/health/v1/health_pb.ts"
import { answerCheckOf, type Phase, phaseCheckOf } from "../../../signer/enclave/phase.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { OrderFigures } from "../../../signer/enclave/rpc/order-figures.ts"
import { newTurns } from "../../../signer/enclave/rpc/turns.ts"
import type { SignerContext } from "../../../signer/enclave/rpc/context.ts"
import {
  healthHandlers,
  operatorHandlers,
  signerHandlers,
  unlockHandlers,
} from "../../../signer/enclave/rpc/index.ts"
import { noHolders } from "../../harness/no-holders.ts"

const PHASES: readonly Phase[] = [
  { name: "ready" },
  { name: "clock-untrusted", sentence: "clock" },
  { name: "halted", code: "LEDGER_MISSING", sentence: "ledger" },
  { name: "ledger-older", code: "LEDGER_OLDER", sentence: "older", detail: "a document" },
  { name: "stopping", sentence: "stopping" },
  { name: "empty", sentence: "empty" },
  { name: "sealed", sentence: "sealed", detail: "shares" },
]

/** The two phases without a seed: calls that a halted signer answers are answered there too. */
const WITHOUT_SEED: { readonly [phase: string]: string } = {
  empty: "ROOT_SEED_MISSING",
  sealed: "SIGNER_SEALED",
}

const LOCKING = [
  ...Array(4).fill("SEED_NOT_SEALED"),
  "SIGNER_STOPPING",
  "ROOT_SEED_MISSING",
  "SEED_NOT_SEALED",
]

const CALLS: { [call: string]: readonly string[] } = {
  execute: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  recover: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  readArchive: ["answers", "answers", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  readSession: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  readGasUsage: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  getAuthProxyConfiguration: [
    "answers",
    "CLOCK_UNTRUSTED",
    "LEDGER_MISSING",
    "LEDGER_OLDER",
    "SIGNER_STOPPING",
  ],
  verifyAttestation: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  verifyIdToken: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  orderOnRampStatus: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  expireActivities: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  listOrganizations: ["answers", "answers", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  getOrganizationHead: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  signWebhooks: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  getPins: ["answers", "answers", "LEDGER_MISSING", "answers", "SIGNER_STOPPING"],
  getBootProof: ["answers", "answers", "LEDGER_MISSING", "answers", "SIGNER_STOPPING"],
  probe: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  readLog: ["answers", "answers", "LEDGER_MISSING", "answers", "SIGNER_STOPPING"],
  readLogTile: ["answers", "answers", "LEDGER_MISSING", "answers", "SIGNER_STOPPING"],
  readLogConsistency: ["answers", "answers", "LEDGER_MISSING", "answers", "SIGNER_STOPPING"],
  showCheckpoint: ["answers", "answers", "LEDGER_MISSING", "answers", "SIGNER_STOPPING"],
  readMetrics: ["answers", "answers", "answers", "answers", "answers"],
  copyLedger: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  signBackup: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  createSetupCode: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  acceptClock: ["PHASE_WRONG", "answers", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  prepareAct: ["answers", "answers", "LEDGER_MISSING", "answers", "SIGNER_STOPPING"],
  acceptLedger: ["PHASE_WRONG", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "answers", "SIGNER_STOPPING"],
  getStatus: ["answers", "answers", "answers", "answers", "answers"],
  readLedger: ["answers", "answers", "LEDGER_MISSING", "answers", "SIGNER_STOPPING"],
  readAudit: ["answers", "answers", "LEDGER_MISSING", "answers", "SIGNER_STOPPING"],
  eraseOrganization: ["answers", "CLOCK_UNTRUSTED", "LEDGER_MISSING", "LEDGER_OLDER", "SIGNER_STOPPING"],
  check: ["answers", "answers", "answers", "answers", "answers"],
  // These signers have a plain seed.
  unlock: [
    "PHASE_WRONG",
    "CLOCK_UNTRUSTED",
    "LEDGER_MISSING",
    "LEDGER_OLDER",
    "SIGNER_STOPPING",
    "ROOT_SEED_MISSING",
    "SEED_NOT_SEALED",
  ],
  lock: LOCKING,
  readSeal: LOCKING,
}

type Handler = (input: object, context: SignerContext) => Promise<unknown>
const { execute, ...unary } = { ...signerHandlers, ...operatorHandlers, ...unlockHandlers, ...healthHandlers }
const handlers = new Map(Object.entries(unary) as unknown as [string, Handler][])
handlers.set("execute", executeOne)

t.test("every call of every service is in the table", async (t) => {
  const methods = [SignerService, OperatorService, UnlockService, Health].flatMap(
    (service) => service.methods,
  )
  t.strictSame(methods.map(({ localName }) => localName).toSorted(), Object.keys(CALLS).toSorted())
  t.strictSame([...handlers.keys()].toSorted(), Object.keys(CALLS).toSorted())
})

for (const [call, expected] of Object.entries(CALLS)) {
  t.test(`${call} answers in its phases and refuses in the others`, async (t) => {
    for (const [index, phase] of PHASES.entries()) {
      const withoutSeed = expected[2] === "answers" ? "answers" : WITHOUT_SEED[phase.name]
      t.equal(await answer(call, phase), expected[index] ?? withoutSeed, phase.name)
    }
  })
}

/** The only calls of a signer whose start is not witnessed yet: they decide, write and sign nothing for callers. */
const WITHOUT_WITNESSES = [
  "acceptLedger",
  "check",
  "getBootProof",
  "getPins",
  "getStatus",
  "lock",
  "prepareAct",
  "readAudit",
  "readLedger",
  "readLog",
  "readLogConsistency",
  "readLogTile",
  "readMetrics",
  "readSeal",
  "showCheckpoint",
]

t.test(
  "W104: before its start is witnessed the signer answers what says why, and what witnesses need",
  async (t) => {
    const phase: Phase = { name: "unwitnessed", sentence: "witnesses", detail: "missing" }
    const answered: string[] = []
    for (const call of handlers.keys()) if ((await answer(call, phase)) !== "UNWITNESSED") answered.push(call)
    t.strictSame(answered.toSorted(), WITHOUT_WITNESSES)
    t.equal(await answer("acceptLedger", phase), "PHASE_WRONG", "nothing is given up by mistake")
  },
)

t.test(
  "W150: each call that only a ready signer answers gives nothing after a newer head was found",
  async (t) => {
    const older = PHASES[3]!
    const methods = [SignerService, OperatorService, UnlockService, Health].flatMap(
      (service): readonly DescMethod[] => service.methods,
    )
    for (const method of methods) {
      const [inReady, , , inOlder] = CALLS[method.localName]!
      const check = () => answerCheckOf(method)(older)
      if (inReady === "answers" && inOlder !== "answers")
        t.throws(check, { code: "LEDGER_OLDER" }, method.localName)
      else t.doesNotThrow(check, method.localName)
      t.doesNotThrow(() => answerCheckOf(method)(PHASES[4]!), "a signer that stops answers what it ran")
    }
  },
)

t.test("acceptClock is refused while the clock is trusted", async (t) => {
  t.throws(() => phaseCheckOf(OperatorService.method.acceptClock)({ name: "ready" }), {
    message: /trusts its clock and its ledger: there is nothing/,
  })
})

t.test("an RPC that declares no phases is refused in all", async (t) => {
  const undeclared = { ...SignerService.method.probe, proto: {} } as never
  for (const phase of PHASES) t.throws(() => phaseCheckOf(undeclared)(phase), Refusal)
})

/** Tells whether the handler ran: it has neither state nor keys here, so it fails in some other way than refusing. */
async function answer(call: string, phase: Phase): Promise<string> {
  const context: SignerContext = {
    phase: () => phase,
    turns: newTurns(),
    orders: new OrderFigures(),
    storage: () => {
      throw new Error("no ledger")
    },
    stopping: new AbortController().signal,
    seedLock: undefined,
    acts: noHolders,
    state: () => {
      throw new Error("no state and no keys")
    },
    terminate: (error) => {
      throw error
    },
    acceptClock: async () => {},
    acceptLedger: async () => {},
  }
  try {
    await handlers.get(call)?.({ evidence: { case: "key", value: new Uint8Array(32) } }, context)
    return "answers"
  } catch (error) {
    return error instanceof Refusal ? error.code : "answers"
  }
}

/** Sends one order on a stream. @throws Refusal with the code of its answer */
async function executeOne(_input: object, context: SignerContext): Promise<void> {
  const answered = Promise.withResolvers<ExecuteResponse>()
  let send: (message: unknown) => void = () => {}
  const stream = {
    onMessage: (listener: typeof send) => {
      send = listener
    },
    onEnd: () => {},
    send: answered.resolve,
    end: () => {},
  }
  execute(stream as never, context)
  send({ orders: [{ id: 1n }], acknowledgements: [] })
  const [{ answer }] = (await answered.promise).answers as [ExecuteResponse["answers"][number]]
  if (answer.case !== "refused" || answer.value.code === RefusalCode.INTERNAL) return
  throw new Refusal(RefusalCodeSchema.value[answer.value.code]?.localName as never, answer.value.sentence)
}
