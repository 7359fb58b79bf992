import type { Order } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { authenticate } from "./authenticate.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { fingerprintBook } from "./fingerprints.ts"
import type { CredentialOwner } from "../state/credential-owner.ts"
import { locate } from "./locate.ts"
import type { Request } from "../state/request.ts"
import type { Supply } from "../workspace/run.ts"
import { requireInScope } from "./session-scope.ts"
import type { Sessions } from "../state/sessions.ts"
import { SuppliedDocuments } from "../state/supplied-documents.ts"

/** A request with who made it and the organization as it is now. */
export type Case = {
  request: Request
  organization: Organization
  sessions: Sessions
  holder: CredentialOwner
  /** The organization whose settings hold for this one: its parent, or itself. */
  governing: () => Organization
  nowMs: number
  order: Order
  /** Where the body's fingerprint is kept. */
  fingerprintBook: string
}

/** The organization that an order is about, by what the order brings. @throws what locate throws */
export function locateOrder(request: Request, order: Order, deps: ExecutionDeps) {
  const supplied = new SuppliedDocuments(order.documents, deps.keyring.notary)
  return { ...locate(request, supplied, deps), supplied }
}

/** Finds out who asks, where, and that he may ask at all. @throws what locate, authenticate and requireInScope throw */
export function openCase(request: Request, order: Order, deps: ExecutionDeps): Case {
  const nowMs = deps.nowMs()
  const { organizations, sessions } = deps
  const { named, organization, supplied } = locateOrder(request, order, deps)
  const openParent = (parentId: string) => organizations.openRelated(parentId, supplied)
  const holder = authenticate(request, { organization, sessions }, nowMs, openParent)
  const { parentId } = organization.document
  const governing = () => (parentId === "" ? organization : openParent(parentId))
  requireInScope({ request, organization, holder }, deps)
  const book = fingerprintBook(request, named, deps.keyring)
  return { request, organization, sessions, holder, governing, nowMs, order, fingerprintBook: book }
}

/** What the order brings, for its own request: of a vote that is the vote. */
export function supplyOf({ organizationId, fingerprint }: Request, { records, fetched }: Order): Supply {
  return { organizationId, fingerprint, records, fetched }
}
