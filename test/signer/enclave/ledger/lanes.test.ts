// Lanes: parts of the ledger with sequences of their own, and the fence and epoch of what is written.
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import t from "tap"
import { readDeployment } from "../../../../signer/enclave/ledger/deployment.ts"
import { emptyState, laneOf, type LaneState, stateOf } from "../../../../signer/enclave/ledger/lanes.ts"
import {
  DEPLOYMENT,
  deploymentChange,
  type IndexChange,
  type LaneTerm,
  type LedgerRow,
  OUTCOMES,
} from "../../../../signer/enclave/ledger/ledger.ts"
import { LedgerMac } from "../../../../signer/enclave/ledger/mac.ts"
import { requireWitness, Witness } from "../../../../signer/enclave/ledger/witness.ts"
import { bytes, codeOf, copy, create, creation, databaseOf, KEY, open, tamper, update } from "./harness.ts"

const row = (kind: LedgerRow["kind"], key: string): LedgerRow => ({ kind, key, value: bytes(key) })
const issuer: IndexChange = { shard: "#0123", put: [row("issuer", "one")] }

t.test("the deployment's shards are in one lane, all others in the organizations'", async (t) => {
  const deployment = [DEPLOYMENT, "#0000", "#ffff", "#rows-abc", "#ran-abc"]
  const organizations = [OUTCOMES, "org", "org#0000", "org#rows-abc", "org#outcomes"]
  t.same([...new Set(deployment.map(laneOf))], [0])
  t.same([...new Set(organizations.map(laneOf))], [1])
})

t.test("the time of a ledger is the latest one of its lanes", async (t) => {
  const [deployment, organizations] = emptyState().lanes as [LaneState, LaneState]
  const early = { ...deployment, floorMs: 1, quietUntilMs: 4 }
  const late = { ...organizations, floorMs: 3, quietUntilMs: 2 }
  t.match(stateOf([early, late]), { floorMs: 3, quietUntilMs: 4 })
  t.match(stateOf([late, early]), { floorMs: 3, quietUntilMs: 4 })
})

t.test("W70: a request that changes two lanes is refused, and nothing of it is written", async (t) => {
  const ledger = create(t.testdir())
  const before = ledger.position()
  const deployment = deploymentChange(ledger, { put: [row("setup", "code")] })
  const outcome: IndexChange = { shard: OUTCOMES, put: [row("outcome", "one")] }
  const message = "the changes of one request belong to one lane"
  for (const [changes, index] of [
    [[deployment, creation("org")], []],
    [[creation("org")], [issuer]],
    [[deployment], [outcome]],
    [[], [issuer, outcome]],
  ] as const)
    await t.rejects(ledger.commit([...changes], [...index]), { name: "RangeError", message })
  t.strictSame(ledger.position(), before)
  await Promise.all([ledger.commit([creation("org")], [outcome]), ledger.commit([deployment], [issuer])])
  t.strictSame(
    ledger.position().lanes.map(({ sequence }) => sequence),
    [2n, 2n],
  )
  await ledger.close()
})

t.test("W70: an epoch begins in all lanes together, and rows of before stay valid", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory)
  await ledger.commit([creation("org", [row("record", "old")])])
  await ledger.beginEpoch(0)
  await ledger.commit([update("org", { put: [row("record", "new")] })])
  await ledger.close()
  const again = open(directory)
  t.same(
    again.position().lanes.map(({ epoch }) => epoch),
    [1, 1],
  )
  for (const key of ["old", "new"]) t.strictSame(again.row("org", "record", key), bytes(key))
  await again.beginEpoch(7)
  t.equal(again.term("org").epoch, 7)
  await again.beginEpoch(7)
  t.equal(again.term("org").epoch, 8, "an epoch is never begun twice")
  for (const least of [-1, 0.5]) await t.rejects(again.beginEpoch(least), RangeError)
  await again.close()
  const database = new DatabaseSync(databaseOf(directory))
  const rows = database.prepare("SELECT key, epoch FROM entry WHERE kind = 'record' ORDER BY key").all()
  t.same(
    rows.map(({ key, epoch }) => [key, epoch]),
    [
      ["new", 1],
      ["old", 0],
    ],
  )
  database.close()
})

t.test("W70: an authentic shard of another lane, or newer than its lane, is refused", async (t) => {
  const macs = new LedgerMac(KEY, new Uint8Array(32).fill(9))
  const TERM = { lane: 1, fence: 2, epoch: 2 } as const
  /** A ledger with one shard, each of whose MACs and sums is right. */
  const reading = (term: LaneTerm) => {
    const mac = new Uint8Array(32)
    const lane = { ...TERM, sequence: 1n, floorMs: 0, quietUntilMs: 0 }
    const lanes = ([0, 1] as const).map((number) => {
      const state = { ...lane, lane: number }
      const sum = number === 1 ? macs.shardElement(term, "org", mac) : 0n
      return { ...state, mac: macs.laneMac({ ...state, shards: number, sum }) }
    })
    const page = ({ after }: { after?: string }) => (after === undefined ? [{ name: "org", term, mac }] : [])
    return () => readDeployment({ lanes, fence: 2 } as never, { page } as never, macs)
  }
  for (const other of [{ lane: 0 }, { fence: 3 }, { epoch: 3 }] as const)
    t.equal(codeOf(reading({ ...TERM, ...other })), "LEDGER_DAMAGED")
  for (const older of [{}, { fence: 1 }, { epoch: 0 }])
    t.equal(codeOf(reading({ ...TERM, ...older })), "none")
})

t.test(
  "W70: a ledger of an earlier fence or epoch than its witness is refused, whatever its sequence",
  async (t) => {
    const macs = new LedgerMac(KEY, new Uint8Array(32).fill(9))
    const file = join(t.testdir(), "witness")
    const lanes = (term: object, sequence: bigint) => {
      const { lanes } = emptyState()
      return { ...emptyState(), lanes: lanes.map((lane) => ({ ...lane, ...term, sequence })) }
    }
    const witness = new Witness(file, "wx", macs)
    witness.write(lanes({ fence: 2, epoch: 1 }, 5n).lanes)
    witness.close()
    const message = "the ledger is older than its witness"
    for (const term of [
      { fence: 1, epoch: 1 },
      { fence: 2, epoch: 0 },
    ])
      t.throws(() => requireWitness(file, lanes(term, 9n), macs), { code: "LEDGER_DAMAGED", message })
    t.throws(() => requireWitness(file, lanes({ fence: 3, epoch: 2 }, 4n), macs), { message })
    t.doesNotThrow(() => requireWitness(file, lanes({ fence: 3, epoch: 2 }, 5n), macs))
  },
)

t.test("W70: the witness remembers each lane", async (t) => {
  const root = t.testdir()
  const directory = join(root, "ledger")
  const ledger = create(directory)
  await ledger.commit([creation("org")])
  await ledger.close()
  for (const [title, change] of Object.entries({
    organizations: async (later: ReturnType<typeof open>) =>
      later.commit([update("org", { put: [row("record", "a")] })]),
    deployment: async (later: ReturnType<typeof open>) => later.commit([], [issuer]),
    epoch: async (later: ReturnType<typeof open>) => later.beginEpoch(0),
  })) {
    const changed = copy(directory, join(root, title))
    const later = open(changed)
    await change(later)
    await later.close()
    // The database alone as it was before.
    const older = copy(directory, join(root, `${title} older`))
    tamper(changed, (database) => {
      database.prepare("ATTACH ? AS old").run(databaseOf(older))
      for (const table of ["lane", "organization", "entry"])
        database.exec(`DELETE FROM main.${table}; INSERT INTO main.${table} SELECT * FROM old.${table}`)
    })
    t.throws(() => open(changed), { message: "the ledger is older than its witness" }, title)
  }
})
