import { type Notary, openDocument } from "../../organization/notarize.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { refuse } from "../../../core/refusal.ts"

/** Documents in one order: of the organization, and of its parent or the sub-organization found for a login. */
const MAX_SUPPLIED = 2

/** The documents that came with an order, opened once, when first looked for. */
export class SuppliedDocuments {
  readonly #notarized: readonly Uint8Array[]
  readonly #notary: Notary
  #opened: ReadonlyMap<string, Organization> | undefined

  /** @throws REQUEST_TOO_LARGE */
  constructor(notarized: readonly Uint8Array[], notary: Notary) {
    if (notarized.length > MAX_SUPPLIED) {
      throw refuse("REQUEST_TOO_LARGE", `an order brings at most ${MAX_SUPPLIED} documents`)
    }
    this.#notarized = notarized
    this.#notary = notary
  }

  get any(): boolean {
    return this.#notarized.length > 0
  }

  /** An authentic document, which need not be current. @throws DOCUMENT_FORGED */
  find(organizationId: string): Organization | undefined {
    if (!this.any) return undefined
    this.#opened ??= new Map(
      this.#notarized.map((notarized) => {
        const organization = openDocument(notarized, this.#notary)
        return [organization.id, organization]
      }),
    )
    return this.#opened.get(organizationId)
  }
}
