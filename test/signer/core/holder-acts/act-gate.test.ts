// The gate of acts: it makes texts, keeps them, and spends each once.
import { randomBytes } from "node:crypto"
import t from "tap"
import { ActGate, type GateParts } from "../../../../signer/core/holder-acts/act-gate.ts"
import type { HolderAct } from "../../../../signer/core/holder-acts/acts.ts"
import { TestClock } from "../../../harness/clock.ts"
import { holders as newHolders } from "../../../harness/holder-keys.ts"
import { DEPLOYMENT } from "../sealed-seed/sets.ts"

const HOUR_MS = 60 * 60 * 1000
const LEDGER: HolderAct = { name: "accept-ledger", parameters: [["Restored", "no"]] }
const CLOCK: HolderAct = { name: "accept-clock", parameters: [] }

function setup(own: Partial<GateParts> = {}) {
  const keys = newHolders(3)
  const publicKeys = keys.map(({ publicKey }) => publicKey)
  const holders = { deploymentId: DEPLOYMENT, generation: 1, threshold: 2, publicKeys }
  const clock = new TestClock()
  const parts: GateParts = {
    holders,
    free: [],
    holdersOfFile: () => holders,
    wallMs: () => clock.wallMs(),
    monotonicMs: () => clock.monotonicMs(),
    random: (length) => randomBytes(length),
    ...own,
  }
  const gate = new ActGate(parts)
  const approved = (text: Uint8Array, signers = keys.slice(0, 2)) => ({
    text,
    approvals: signers.map((holder) => ({
      $typeName: "countersign.signer.v1.HolderApproval" as const,
      ...holder.approve(text),
    })),
  })
  return { gate, clock, keys, holders, approved }
}

t.test("W116: an approved act is done once, and its text serves no second one", async (t) => {
  const { gate, approved } = setup()
  const text = gate.prepare(LEDGER, 0)
  t.strictSame(Buffer.from(gate.require(LEDGER, approved(text))!), Buffer.from(text))
  t.throws(() => gate.require(LEDGER, approved(text)), { code: "APPROVAL_USED" })
  t.ok(gate.require(LEDGER, approved(gate.prepare(LEDGER, 0))))
})

t.test(
  "W116: without approvals, or with those of another act, nothing is done and nothing is spent",
  async (t) => {
    const { gate, approved, keys } = setup()
    const text = gate.prepare(LEDGER, 0)
    t.throws(() => gate.require(LEDGER, undefined), {
      code: "APPROVALS_NEEDED",
      message:
        /^accept-ledger needs the approval of 2 of 3 holders: countersign-signer approve prepare accept-ledger/,
    })
    t.throws(() => gate.require(LEDGER, approved(text, keys.slice(0, 1))), { code: "APPROVALS_TOO_FEW" })
    t.throws(() => gate.require(CLOCK, approved(text)), { code: "APPROVAL_OTHER_ACT" })
    const restored: HolderAct = { ...LEDGER, parameters: [["Restored", "yes"]] }
    t.throws(() => gate.require(restored, approved(text)), { code: "APPROVAL_OTHER_ACT" })
    t.ok(gate.require(LEDGER, approved(text)))
  },
)

t.test("W116: a text that this signer did not make is unknown, whoever signed it", async (t) => {
  const { gate, approved, holders } = setup()
  const other = setup({ holders, holdersOfFile: () => holders }).gate
  const text = other.prepare(LEDGER, 0)
  t.throws(() => gate.require(LEDGER, approved(text)), { code: "APPROVAL_UNKNOWN" })
  const own = Buffer.from(gate.prepare(LEDGER, 0)).toString()
  const kinder = Buffer.from(own.replace(/^Meaning:.*$/m, "Meaning:       Nothing happens."))
  t.throws(() => gate.require(LEDGER, approved(kinder)), { code: "APPROVAL_UNKNOWN" })
})

t.test("W116: a text expires by the time that passed, wherever the host's clock is set", async (t) => {
  const { gate, clock, approved } = setup()
  const [text, short] = [gate.prepare(LEDGER, 0), gate.prepare(LEDGER, 60)]
  clock.setWall(Date.UTC(2020, 0, 1))
  clock.pass(4 * HOUR_MS - 1)
  t.throws(() => gate.require(LEDGER, approved(short)), {
    code: "APPROVAL_EXPIRED",
    message: /2026-01-01T00:01/,
  })
  clock.pass(1)
  t.throws(() => gate.require(LEDGER, approved(text)), { code: "APPROVAL_EXPIRED" })
  t.throws(() => gate.prepare(LEDGER, 7 * 24 * 60 * 60 + 1), { code: "REQUEST_INVALID" })
})

t.test("W116: a clock is accepted as it was when its text was made", async (t) => {
  const { gate, clock, approved } = setup()
  const text = gate.prepare(CLOCK, 0)
  t.match(Buffer.from(text).toString(), /^Clock now: +2026-01-01T00:00:00\.000Z$/m)
  clock.setWall(clock.wallMs() + HOUR_MS)
  t.throws(() => gate.require(CLOCK, approved(text)), {
    code: "APPROVAL_OTHER_ACT",
    message: /clock was set since/,
  })
  clock.setWall(clock.wallMs() - HOUR_MS)
  clock.pass(HOUR_MS)
  t.ok(gate.require(CLOCK, approved(text)))
})

t.test("C-1743: the gate keeps the latest 16 texts", async (t) => {
  const { gate, approved } = setup()
  const texts = Array.from({ length: 17 }, () => gate.prepare(LEDGER, 0))
  t.throws(() => gate.require(LEDGER, approved(texts[0]!)), {
    code: "APPROVAL_UNKNOWN",
    message: /made 16 others/,
  })
  t.ok(gate.require(LEDGER, approved(texts[1]!)))
  t.ok(gate.require(LEDGER, approved(texts[16]!)))
})

t.test("a file with other holders than those that are known stops every act", async (t) => {
  const { holders } = setup()
  for (const stored of [undefined, { ...holders, generation: 2 }, { ...holders, threshold: 3 }]) {
    const { gate, approved } = setup({ holders, holdersOfFile: () => stored })
    t.throws(() => gate.prepare(LEDGER, 0), {
      code: "HOLDERS_CHANGED",
      message: /Lock the signer and unlock it/,
    })
    t.throws(() => gate.require(LEDGER, approved(Buffer.from("x"))), { code: "HOLDERS_CHANGED" })
  }
  const plain = setup({ holders: undefined, holdersOfFile: () => holders }).gate
  t.throws(() => plain.require(LEDGER, undefined), { code: "HOLDERS_CHANGED" })
})

t.test("without holders an act needs no approval, and an act that is free needs none either", async (t) => {
  const { gate } = setup({ holders: undefined, holdersOfFile: () => undefined })
  t.equal(gate.require(LEDGER, undefined), undefined)
  t.throws(() => gate.prepare(LEDGER, 0), { code: "HOLDERS_ABSENT" })
  const free = setup({ free: ["setup-code"] }).gate
  t.equal(free.require({ name: "setup-code", parameters: [] }, undefined), undefined)
  t.throws(() => free.prepare({ name: "setup-code", parameters: [] }, 0), { code: "HOLDERS_ABSENT" })
})
