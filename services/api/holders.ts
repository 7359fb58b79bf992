import type { Archive } from "./archive.ts"
import type { Holder, Organization } from "./organization.ts"
import type { Session, Sessions } from "./sessions.ts"

/** Whose a key is: a credential of the document, or a session beside it of a user whom the document has. */
export class Holders {
  readonly #sessions: Sessions
  /** Brings back what the database lost; undefined until the signer can be asked. */
  #archive: Pick<Archive, "restoreSession"> | undefined

  constructor(sessions: Sessions) {
    this.#sessions = sessions
  }

  /** Where a session that the database does not know is looked for. */
  useArchive(archive: Pick<Archive, "restoreSession">): void {
    this.#archive = archive
  }

  /** From memory alone. */
  peek(organization: Organization, publicKey: string): Holder | undefined {
    return (
      organization.holder(publicKey) ??
      holderOf(organization, this.#sessions.peek(organization.id, publicKey))
    )
  }

  /** With the session as the database has it now. */
  async find(organization: Organization, publicKey: string): Promise<Holder | undefined> {
    return (
      organization.holder(publicKey) ??
      holderOf(organization, await this.#sessions.refresh(organization.id, publicKey))
    )
  }

  /** The signer is asked for what `find` has not found in the database. Before somebody is refused. */
  async catchUp(organization: Organization, publicKey: string): Promise<Holder | undefined> {
    const known = this.peek(organization, publicKey)
    if (known !== undefined || this.#archive === undefined) return known
    const isRestored = await this.#archive.restoreSession(organization.id, publicKey)
    return isRestored ? this.find(organization, publicKey) : undefined
  }

  /** The signer says that the key has no session. */
  forget(organizationId: string, publicKey: string): void {
    this.#sessions.forget(organizationId, publicKey)
  }
}

function holderOf(organization: Organization, session: Session | undefined): Holder | undefined {
  const user = session && organization.user(session.userId)
  return user && { user, apiKey: session }
}
