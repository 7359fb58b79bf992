import { create } from "@bufbuild/protobuf"
import t from "tap"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  Organizations,
  SuppliedDocuments,
} from "../../../../../signer/enclave/execution/state/organizations.ts"
import type { Ledger } from "../../../../../signer/enclave/ledger/ledger.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"

const DIGEST = new Uint8Array(32)
const ledger = { head: () => ({ version: 1n, digest: DIGEST }) } as unknown as Ledger
const nothing = new SuppliedDocuments([], {} as never)

const organization = (organizationId: string, bytes: number) =>
  new Organization(create(OrganizationDocumentSchema, { organizationId, version: 1n }), DIGEST, bytes)

/** The number of these documents that are still there after all were opened. */
function kept(count: number, bytes: number): number {
  const organizations = new Organizations(ledger, {} as never)
  const ids = Array.from({ length: count }, (_, index) => `organization ${index}`)
  for (const id of ids) organizations.remember(organization(id, bytes))
  return ids.filter((id) => organizations.findRelated(id, nothing)?.id === id).length
}

t.test(
  "B3: documents are cached up to a total size, and a document over that size is not cached",
  async (t) => {
    const small = kept(5000, 1000)
    t.ok(small > 3000 && small < 5000, `${small} of a kilobyte`)
    const large = kept(5000, 3_000_000)
    t.ok(large > 10 && large < 30, `${large} of three megabytes`)
    t.equal(kept(1, 100_000_000), 0)
  },
)
