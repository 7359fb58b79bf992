import { create } from "@bufbuild/protobuf"
import t from "tap"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../../../../signer/core/refusal.ts"
import { type Notary, notarizeDocument } from "../../../../../signer/enclave/organization/notarize.ts"
import { contextNeededOf } from "../../../../../signer/enclave/execution/state/context-needed.ts"
import {
  Organizations,
  SuppliedDocuments,
} from "../../../../../signer/enclave/execution/state/organizations.ts"

const ACME = "00000000-0000-4000-8000-000000000001"
const OTHER = "00000000-0000-4000-8000-000000000002"
const SIGNATURE = Uint8Array.of(1)

/** The document that the order must bring. */
function neededBy(open: () => unknown): unknown {
  try {
    open()
  } catch (error) {
    const { name, message, needed } = contextNeededOf(error)
    return { name, message, needed }
  }
  return "nothing"
}

const needs = (version: bigint) => ({
  name: "ContextNeeded",
  message: "the order lacks context",
  needed: { organizationId: ACME, documents: [{ organizationId: ACME, version }] },
})

/** Counts its verifications. */
function countingNotary() {
  const counts = { verified: 0 }
  const notary: Notary = {
    sign: () => SIGNATURE,
    verify: (_, __, signature) => {
      counts.verified += 1
      return Buffer.compare(signature, SIGNATURE) === 0
    },
  }
  return { notary, counts }
}

const { notary } = countingNotary()

const documentAt = (version: bigint, organizationId = ACME, others = {}) =>
  notarizeDocument(create(OrganizationDocumentSchema, { organizationId, version, ...others }), notary)

const supplied = (...documents: ReturnType<typeof documentAt>[]) =>
  new SuppliedDocuments(
    documents.map(({ notarized }) => notarized),
    notary,
  )

/** Organizations of a ledger with these heads; `reports`: the states that were reported as newer. */
function setup(heads: [id: string, version: bigint, digest: Uint8Array][], isGivenUp = false) {
  const known = new Map(heads.map(([id, version, digest]) => [id, { version, digest }]))
  const reports: unknown[] = []
  const report = (newer: unknown) => {
    reports.push(newer)
    return isGivenUp ? undefined : refuse("LEDGER_OLDER", "older")
  }
  const ledger = { head: (id: string) => known.get(id) }
  return { organizations: new Organizations(ledger as never, { report } as never), known, reports }
}

const second = documentAt(2n)
const current: [string, bigint, Uint8Array] = [ACME, 2n, second.digest]

t.test("A3: the current document opens its organization, and is kept while it is current", async (t) => {
  const { organizations, known } = setup([current])
  t.same(
    neededBy(() => organizations.openCurrent(ACME, supplied())),
    needs(2n),
  )
  t.same(
    neededBy(() => organizations.openRelated(ACME, supplied())),
    needs(2n),
  )
  t.equal(organizations.openCurrent(ACME, supplied(second)).document.version, 2n)
  t.equal(organizations.size, 1)
  t.equal(organizations.openCurrent(ACME, supplied()).document.version, 2n)
  t.equal(organizations.openRelated(ACME, supplied()).document.version, 2n)
  known.set(ACME, { version: 3n, digest: second.digest })
  t.same(
    neededBy(() => organizations.openCurrent(ACME, supplied())),
    needs(3n),
  )
  known.set(ACME, { version: 2n, digest: documentAt(2n, ACME, { name: "twin" }).digest })
  t.same(
    neededBy(() => organizations.openCurrent(ACME, supplied())),
    needs(2n),
    "another document of the version",
  )
})

t.test("A3: an older document is refused and is no evidence", async (t) => {
  const { organizations, reports } = setup([current])
  const older = () => organizations.openCurrent(ACME, supplied(documentAt(1n)))
  const message = `organization ${ACME} is at version 2, the document shown is version 1`
  t.throws(older, { code: "DOCUMENT_ROLLED_BACK", message })
  t.same(reports, [])
})

t.test("A3: a newer document, and another one of the version, show that the ledger is older", async (t) => {
  const { organizations, reports } = setup([current])
  const shown = [documentAt(3n), documentAt(2n, ACME, { name: "twin" })]
  for (const document of shown)
    t.throws(() => organizations.openCurrent(ACME, supplied(document)), { code: "LEDGER_OLDER" })
  const organizationId = ACME
  t.same(reports, [
    { organizationId, version: 3n, ledgerVersion: 2n },
    { organizationId, version: 2n, ledgerVersion: 2n },
  ])
  const accepted = setup([current], true).organizations
  t.throws(() => accepted.openCurrent(ACME, supplied(shown[0]!)), { code: "DOCUMENT_ROLLED_BACK" })
})

t.test("A3: a document of an organization that the ledger does not know shows the same", async (t) => {
  const { organizations, reports } = setup([])
  const unknown = { code: "ORGANIZATION_UNKNOWN" }
  t.throws(() => organizations.openCurrent(ACME, supplied()), unknown)
  t.same(reports, [])
  t.throws(() => organizations.openCurrent(ACME, supplied(second)), { code: "LEDGER_OLDER" })
  t.same(reports, [{ organizationId: ACME, version: 2n }])
  const accepted = setup([], true).organizations
  t.throws(() => accepted.openCurrent(ACME, supplied(second)), unknown)
})

t.test("a document of another organization opens none", async (t) => {
  const { organizations } = setup([current])
  const other = documentAt(2n, OTHER)
  const code = "DOCUMENT_OF_ANOTHER_ORGANIZATION"
  t.throws(() => organizations.openCurrent(ACME, supplied(other)), { code })
  t.same(
    neededBy(() => organizations.openRelated(ACME, supplied(other))),
    needs(2n),
  )
  t.equal(organizations.openCurrent(ACME, supplied(other, second)).id, ACME, "beside its own")
})

t.test("a deleted organization is refused", async (t) => {
  const deleted = documentAt(2n, ACME, { deletedAtMs: 1n })
  const { organizations } = setup([[ACME, 2n, deleted.digest]])
  const attempts = [
    () => organizations.openCurrent(ACME, supplied(deleted)),
    () => organizations.openRelated(ACME, supplied(deleted)),
  ]
  for (const attempt of attempts) t.throws(attempt, { code: "ORGANIZATION_DELETED" })
})

t.test("A3: an order's documents are verified once, and only when one is looked for", async (t) => {
  const { notary, counts } = countingNotary()
  const documents = new SuppliedDocuments([second.notarized, documentAt(1n, OTHER).notarized], notary)
  t.ok(documents.any)
  t.equal(counts.verified, 0)
  for (const id of [ACME, OTHER]) t.equal(documents.find(id)?.id, id)
  t.equal(documents.find("00000000-0000-4000-8000-000000000003"), undefined)
  t.equal(counts.verified, 2)
  t.notOk(supplied().any)
  t.equal(supplied().find(ACME), undefined)
  const forged = new SuppliedDocuments([Uint8Array.of(0)], notary)
  t.throws(() => forged.find(ACME), { code: "DOCUMENT_FORGED" })
})

t.test("an order brings at most two documents", async (t) => {
  t.doesNotThrow(() => supplied(second, second))
  t.throws(() => supplied(second, second, second), { code: "REQUEST_TOO_LARGE" })
})
