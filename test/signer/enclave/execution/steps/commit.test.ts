import { create } from "@bufbuild/protobuf"
import t from "tap"
import { ResultSchema } from "../../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { ActivityStatus, VoteSelection } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Authority, Consequence } from "../../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { PendingActivitySchema } from "../../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { refuse } from "../../../../../signer/core/refusal.ts"
import type { Steps } from "../../../../../signer/core/turns/steps.ts"
import { type IndexChange, type LedgerChange, OUTCOMES } from "../../../../../signer/enclave/ledger/ledger.ts"
import { commit } from "../../../../../signer/enclave/execution/steps/commit.ts"
import { NO_DETAILS } from "../../../../../signer/enclave/execution/steps/outcome.ts"

const [organizationId, fingerprint, other] = ["parent", "ab".repeat(32), "cd".repeat(32)]
const HEAD = { version: 3n, digest: Uint8Array.of(3) }
const NO_CHANGES = { index: [], put: [], remove: [] }
const credential = { apiKey: "key" }

const before = {
  id: organizationId,
  document: HEAD,
  digest: HEAD.digest,
  credentialOwner: (name: string) => (name === "key" ? credential : undefined),
}
const request = {
  organizationId,
  fingerprint,
  stamp: { credential: "key" },
  timestampMs: 5,
  body: new Uint8Array(3),
  activity: { authority: Authority.POLICIES, consequence: Consequence.CHANGES },
}
const outcome = {
  organizationId,
  activityId: "activity",
  activityFingerprint: fingerprint,
  decidedAtMs: 7,
  voteId: "vote",
  userId: "user",
  selection: VoteSelection.APPROVED,
  status: ActivityStatus.COMPLETED,
  details: NO_DETAILS,
  heldPolicyList: new Uint8Array(),
  effects: undefined as object | undefined,
  failure: undefined,
  opened: true,
  vote: undefined,
  appProofs: [],
}
const NO_EFFECTS = {
  result: create(ResultSchema),
  version: undefined,
  changes: undefined,
  created: [],
  signed: [],
}

/** Commits with a ledger that notes its changes. `calls`: of the caches and of the register. */
async function committed(
  parts: { request?: object; outcome?: object; [member: string]: unknown } = {},
  needed?: object,
) {
  const changes: LedgerChange[] = []
  const indexes: IndexChange[] = []
  const calls: unknown[][] = []
  let transactions = 0
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args])
  const deps = {
    rollback: { requireNone: () => undefined },
    log: { decide: () => undefined, keepReceipt: () => undefined },
    ledger: {
      head: () => HEAD,
      term: () => ({ lane: 1, fence: 1, epoch: 0 }),
      row: (id: string) => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, id === organizationId ? 9 : 8),
      commit: async (all: LedgerChange[], index: IndexChange[] = []) => {
        transactions += 1
        changes.push(...all)
        indexes.push(...index)
      },
    },
    register: {
      *changes(...args: unknown[]): Steps<typeof NO_CHANGES> {
        note("register")(...args)
        yield
        return NO_CHANGES
      },
    },
    turns: { run: async (_owner: string, task: () => unknown) => task() },
    keyring: { notary: { sign: () => new Uint8Array(1) }, pins: { deploymentId: "deployment" } },
    organizations: { remember: note("remember") },
    signingKeys: { delete: note("delete"), deleteOf: note("deleteOf") },
    heldWallets: { delete: note("delete wallet"), deleteOf: note("delete wallets of") },
    ...needed,
  }
  const input = {
    before,
    ...parts,
    request: { ...request, ...parts.request },
    outcome: { ...outcome, ...parts.outcome },
  }
  const reply = await commit(input as never, deps as never)
  return { reply, changes, indexes, calls, transactions, own: changes[0]! }
}

t.test("nothing is written once a rollback was found", async (t) => {
  const rollback = {
    requireNone: () => {
      throw refuse("LEDGER_OLDER", "older")
    },
  }
  await t.rejects(committed({}, { rollback }), { code: "LEDGER_OLDER" })
})

t.test("an organization without a document is a fault", async (t) => {
  await t.rejects(committed({ before: undefined }), { message: "a new organization has a document" })
})

t.test(
  "a deleted record's key leaves the cache by name, and all keys of an organization at once",
  async (t) => {
    const effects = (changes: object) => ({ outcome: { effects: { ...NO_EFFECTS, changes } } })
    const rows = { put: [], remove: [], mustBeAbsent: [], secrets: { rows: [] }, records: [] }
    const named = await committed(effects({ ...rows, staleKeys: ["one", "two"], areAllKeysStale: false }))
    t.same(named.calls.slice(1), [
      ["delete", "one"],
      ["delete", "two"],
      ["delete wallet", "one"],
      ["delete wallet", "two"],
    ])
    const all = await committed(effects({ ...rows, staleKeys: [], areAllKeysStale: true }))
    t.same(all.calls.slice(1), [
      ["deleteOf", organizationId],
      ["delete wallets of", organizationId],
    ])
    const none = await committed(effects({ ...rows, staleKeys: [], areAllKeysStale: false }))
    t.same(none.calls.slice(1), [])
    const unchanged = await committed({ outcome: { effects: NO_EFFECTS } })
    t.same(unchanged.calls.slice(1), [])
  },
)

t.test("only a login that names its organization proves the credential that stamped it", async (t) => {
  const provenBy = async (activity: object, more: object = {}) => {
    const { calls } = await committed({ request: { activity, ...more } })
    return calls[0]?.[3]
  }
  const login = { authority: Authority.LOGIN, consequence: Consequence.CHANGES }
  t.equal(await provenBy(login), credential)
  t.equal(await provenBy(login, { organizationId: "grandparent" }), undefined)
  t.equal(await provenBy(login, { stamp: { credential: "gone" } }), undefined)
  t.equal(await provenBy(request.activity), undefined)
})

t.test("a body's fingerprint is written to its shard, in the same transaction", async (t) => {
  const own = await committed()
  t.match(own.indexes, [{ shard: OUTCOMES }])
  t.equal(own.indexes.length, 1)
  t.match(own.own, { organizationId, expect: HEAD, head: HEAD, notesSequence: true })
  t.match(own.own.put, [{ kind: "fingerprint", key: fingerprint }])
  t.same(own.own.mustBeAbsent, [{ kind: "fingerprint", key: fingerprint }])
  t.equal(own.reply.ledgerSequence, 9n)
  const elsewhere = await committed({ fingerprintShard: "parent#0000" })
  t.match(elsewhere.indexes, [
    { shard: "parent#0000", put: [{ key: fingerprint }], mustBeAbsent: [{ key: fingerprint }] },
    { shard: OUTCOMES },
  ])
  t.strictSame([elsewhere.own.put, elsewhere.own.mustBeAbsent, elsewhere.own.notesSequence], [[], [], false])
  t.equal(elsewhere.reply.ledgerSequence, 0n, "nothing of the organization changed")
})

t.test("an organization that only loses rows has changed", async (t) => {
  const remove = ["one", "two", "three"].map((key) => ({ kind: "name", key }))
  const changes = { put: [], remove, mustBeAbsent: [], records: [], staleKeys: [], secrets: { rows: [] } }
  const outcome = { effects: { ...NO_EFFECTS, changes } }
  for (const fingerprintShard of [undefined, "parent#0000"]) {
    const { own, reply } = await committed({ outcome, ...(fingerprintShard && { fingerprintShard }) })
    t.equal(own.notesSequence, true)
    t.equal(reply.ledgerSequence, 9n)
  }
})

t.test("an outcome is kept until it is acknowledged, and client secrets are claimed before it", async (t) => {
  const claim = { kind: "client-secret", key: "secret", value: new Uint8Array(1) }
  const changes = {
    put: [],
    remove: [],
    mustBeAbsent: [],
    records: [],
    staleKeys: [],
    secrets: { rows: [claim] },
    index: [],
  }
  const {
    changes: all,
    indexes,
    transactions,
  } = await committed({
    outcome: { effects: { ...NO_EFFECTS, changes } },
  })
  t.match(all, [{ organizationId: "", put: [claim], mustBeAbsent: [claim] }, { organizationId }])
  t.equal(all.length, 2)
  t.equal(transactions, 2, "the claim is of the deployment's lane")
  t.match(indexes.at(-1), {
    shard: OUTCOMES,
    put: [{ kind: "outcome", key: `${organizationId}/${fingerprint}/key` }],
  })
})

t.test(
  "secrets are claimed for an outcome that fits alone, and not once a rollback was found meanwhile",
  async (t) => {
    const secrets = { rows: [{ kind: "identity", key: "secret", value: new Uint8Array(1) }] }
    const changes = { put: [], remove: [], mustBeAbsent: [], records: [], staleKeys: [], secrets, index: [] }
    const effects = { ...NO_EFFECTS, changes }
    const written: LedgerChange[] = []
    let isOlder = false
    const ledger = {
      head: () => HEAD,
      term: () => ({ lane: 1, fence: 1, epoch: 0 }),
      commit: async (all: LedgerChange[]) => {
        written.push(...all)
        isOlder = true
      },
    }
    const body = new Uint8Array(8 * 1024 * 1024)
    await t.rejects(committed({ request: { body }, outcome: { effects } }, { ledger }), {
      code: "OUTCOME_TOO_LARGE",
    })
    t.same(written, [])
    const rollback = {
      requireNone: () => {
        if (isOlder) throw refuse("LEDGER_OLDER", "older")
      },
    }
    await t.rejects(committed({ outcome: { effects } }, { ledger, rollback }), { code: "LEDGER_OLDER" })
    t.match(written, [{ organizationId: "" }])
    t.equal(written.length, 1, "the claim alone")
  },
)

t.test("a pending activity has a row until it ends", async (t) => {
  const pending = { stored: create(PendingActivitySchema, { activityId: "activity" }), timestampMs: 5 }
  const row = { kind: "pending", key: fingerprint }
  const kinds = ({ own }: Awaited<ReturnType<typeof committed>>) => own.put.map(({ kind }) => kind)
  const waits = { status: ActivityStatus.CONSENSUS_NEEDED }
  t.same(kinds(await committed({ pending, outcome: waits })), ["fingerprint", "pending", "waited"])
  const voted = await committed({ pending, outcome: { ...waits, opened: false } })
  t.same(kinds(voted), ["fingerprint", "pending"])
  t.match(voted.own.put[1], row)
  t.same(voted.own.remove, [])
  const ended = await committed({ pending, outcome: { opened: false, activityFingerprint: other } })
  t.same(ended.own.remove, [{ ...row, key: other }])
  t.same(kinds(ended), ["fingerprint", "fingerprint"])
})

t.test("a new version and a created organization are written with their documents", async (t) => {
  const version = (id: string) => ({
    organization: {
      id,
      document: { version: 4n, previousDigest: before.digest },
      digest: Uint8Array.of(4),
      credentialOwner: () => undefined,
    },
    notarized: Uint8Array.of(1),
    changes: {
      put: [{ kind: "name", key: id, value: new Uint8Array(1) }],
      records: [],
      staleKeys: [],
      secrets: { rows: [] },
    },
  })
  const changes = {
    put: [],
    remove: [{ kind: "name", key: "old" }],
    mustBeAbsent: [{ kind: "name", key: "new" }],
    records: [],
    staleKeys: [],
    secrets: { rows: [] },
  }
  const effects = { ...NO_EFFECTS, version: version(organizationId), changes, created: [version("child")] }
  const { changes: all, calls, own, reply } = await committed({ outcome: { effects } })
  const archived = { kind: "archive-document", key: "", value: Uint8Array.of(1) }
  t.match(own.head, { version: 4n, digest: Uint8Array.of(4) })
  t.same(own.put[0], archived)
  t.same(own.remove, changes.remove)
  t.same(own.mustBeAbsent?.[0], changes.mustBeAbsent[0])
  t.match(all[1], {
    organizationId: "child",
    expect: undefined,
    head: { version: 4n },
    put: [{ kind: "name", key: "child" }, archived],
    remove: [],
    notesSequence: true,
  })
  t.equal(all.length, 2)
  t.same(
    calls.map(([name]) => name),
    ["register", "register", "remember"],
  )
  t.equal(calls[1]?.[1], undefined, "a created organization had no identities before")
  t.equal(calls[2]?.[1], effects.version.organization)
  t.equal(reply.createdOrganizations[0]?.ledgerSequence, 8n)
})

t.test("W50: a document that does not follow the one before it is not written", async (t) => {
  const after = (document: object) => ({
    organization: {
      id: organizationId,
      document,
      digest: Uint8Array.of(4),
      credentialOwner: () => undefined,
    },
    notarized: Uint8Array.of(1),
  })
  const { version } = before.document
  for (const document of [
    { version, previousDigest: before.digest },
    { version: version + 1n, previousDigest: Uint8Array.of(9) },
  ])
    await t.rejects(committed({ outcome: { effects: { ...NO_EFFECTS, version: after(document) } } }), {
      name: "BrokenInvariant",
    })
})
