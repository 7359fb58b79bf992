// Requests of the greatest size, step by step: other requests have their turn between two steps. Counts, no times.
import { create, toBinary } from "@bufbuild/protobuf"
import { randomBytes } from "node:crypto"
import t, { type Test } from "tap"
import { activityTypes } from "../../../../../proto/catalog.ts"
import { ResultSchema } from "../../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { AddressFormat, Curve, TagType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  PrivateKeyRecordSchema,
  RecordKind,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { createPrivateKeysV2 } from "../../../../../signer/enclave/modules/wallets/create-private-keys.ts"
import { deletePrivateKeys } from "../../../../../signer/enclave/modules/wallets/delete-private-keys.ts"
import { proofsOf } from "../../../../../signer/enclave/execution/steps/app-proofs.ts"
import { NO_DETAILS } from "../../../../../signer/enclave/execution/steps/outcome.ts"

const ID = "00000000-0000-4000-8000-000000000001"
const uuid = (number: number) => ID.slice(0, -6) + String(number).padStart(6, "0")

/** Runs a computation and returns the number of its steps. `between` is called after each one. */
function stepsOf(steps: Generator<void, unknown, void>, between: () => void = () => undefined): number {
  let count = 0
  for (; steps.next().done !== true; count++) between()
  return count
}

/** A context whose ledger is read only where it was verified in steps. */
function recordingContext(t: Test, tags: object[] = []) {
  const prepared = new Set<string>()
  const requirePrepared = (what: string) => {
    if (!prepared.has(what)) t.fail(`${what} is read at once`)
  }
  let ids = 0
  return {
    organization: { id: ID, document: { tags, velocityControls: [] }, touch: () => undefined },
    nowMs: 0,
    random: randomBytes,
    newId: () => uuid(++ids),
    changes: {
      *prepare({ names = [], addresses = [] }: { names?: { name: string }[]; addresses?: string[] }) {
        for (const one of [...names.map(({ name }) => name), ...addresses]) {
          prepared.add(one)
          yield
        }
      },
      takeName: (_: string, name: string) => requirePrepared(name),
      takeAddress: (address: string) => requirePrepared(address),
      releaseName: (_: string, name: string) => requirePrepared(name),
      releaseAddress: (address: string) => requirePrepared(address),
      addRecord: () => undefined,
      deleteRecord: () => undefined,
    },
  }
}

/** Every format of a curve that a private key can have. */
const FORMATS = [
  AddressFormat.ETHEREUM,
  AddressFormat.COSMOS,
  AddressFormat.TRON,
  AddressFormat.BITCOIN_MAINNET_P2TR,
  AddressFormat.BITCOIN_TESTNET_P2TR,
  AddressFormat.XRP,
]

const keys = (count: number, more: object) =>
  Array.from({ length: count }, (_, at) => ({
    privateKeyName: `key ${at}`,
    curve: Curve.SECP256K1,
    privateKeyTags: [],
    addressFormats: [],
    ...more,
  }))

t.test("new private keys have a step for each key, name, address and tag", (t) => {
  const context = recordingContext(t)
  const privateKeys = keys(30, { addressFormats: FORMATS })
  const steps = stepsOf(createPrivateKeysV2.run({ privateKeys } as never, context as never))
  t.ok(steps >= 30 * (2 + 1 + 2 * FORMATS.length), `${steps} steps`)
  t.end()
})

t.test("tags of new private keys are looked up once for each key, however many it names", (t) => {
  let compared = 0
  const tags = Array.from({ length: 1000 }, (_, number) => ({
    type: TagType.PRIVATE_KEY,
    privateKeyIds: [] as string[],
    get tagId() {
      compared++
      return uuid(number)
    },
  }))
  const named = Array.from({ length: 100 }, (_, number) => uuid(900 + number))
  const context = recordingContext(t, tags)
  let most = 0
  const between = () => {
    most = Math.max(most, compared)
    compared = 0
  }
  const privateKeys = keys(100, { privateKeyTags: named })
  const steps = stepsOf(createPrivateKeysV2.run({ privateKeys } as never, context as never), between)
  t.ok(most <= 1000, `${most} comparisons in a step`)
  t.ok(steps >= 100 + 100, "a step for each key and for each tag")
  t.equal(tags[950]?.privateKeyIds.length, 100)
  t.end()
})

t.test("private keys that are deleted free names and addresses that were verified in steps", (t) => {
  const context = recordingContext(t)
  const records = [1, 2, 3].map((number) => {
    const addresses = [{ format: AddressFormat.ETHEREUM, address: `0x${number}` }]
    const record = create(PrivateKeyRecordSchema, { name: `key ${number}`, exported: true, addresses })
    return { id: uuid(number), payload: toBinary(PrivateKeyRecordSchema, record) }
  })
  const given = {
    ...context,
    records: {
      *openAll() {
        yield
        return records
      },
    },
  }
  const ids = records.map(({ id }) => id)
  const steps = stepsOf(deletePrivateKeys.run({ privateKeyIds: ids } as never, given as never))
  t.ok(steps >= 3 * 3, `${steps} steps`)
  t.end()
})

t.test("proofs of new addresses are signed one a step", (t) => {
  const addresses = Array.from({ length: 500 }, (_, at) => {
    return { format: AddressFormat.ETHEREUM, address: `0x${at}` }
  })
  const payload = toBinary(PrivateKeyRecordSchema, create(PrivateKeyRecordSchema, { addresses }))
  const added = [{ kind: RecordKind.PRIVATE_KEY, organizationId: ID, payload }]
  const effects = { changes: { added }, created: [], result: create(ResultSchema) }
  const made = { organizationId: ID, activityId: ID, activityFingerprint: "ab".repeat(32), decidedAtMs: 1 }
  const outcome = { ...made, details: NO_DETAILS, effects }
  const decided = {
    activity: activityTypes.get("ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2"),
    body: Buffer.from("{}"),
    organization: undefined,
    submitterId: ID,
    approvals: [],
  }
  let signed = 0
  const sign = () => {
    signed++
    return {}
  }
  const deps = { identity: { prover: { sign } }, ledger: {} }
  let most = 0
  const between = () => {
    most = Math.max(most, signed)
    signed = 0
  }
  const steps = stepsOf(proofsOf(outcome as never, decided as never, deps as never), between)
  t.equal(steps, 501, "one for each address, and one for the decision")
  t.equal(most, 1)
  t.end()
})
