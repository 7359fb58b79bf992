import { isPasskeyName } from "../../../signer/core/stamp/index.ts"
import type { Archive } from "../signer/archive.ts"
import type { Holder, Organization } from "./stored-organization.ts"
import type { Session, Sessions } from "./session-store.ts"

/** Whose a credential is: one of the document, or the key of a session beside it of a user whom the document has. */
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
  peek(organization: Organization, credential: string): Holder | undefined {
    return (
      organization.holder(credential) ??
      holderOf(organization, this.#sessions.peek(organization.id, credential))
    )
  }

  /** With the session as the database has it now. */
  async find(organization: Organization, credential: string): Promise<Holder | undefined> {
    return (
      organization.holder(credential) ??
      holderOf(organization, await this.#sessions.refresh(organization.id, credential))
    )
  }

  /** The signer is asked for what `find` has not found in the database. Before somebody is refused. */
  async catchUp(organization: Organization, credential: string): Promise<Holder | undefined> {
    const known = this.peek(organization, credential)
    if (known !== undefined || this.#archive === undefined || isPasskeyName(credential)) return known
    const isRestored = await this.#archive.restoreSession(organization.id, credential)
    return isRestored ? this.find(organization, credential) : undefined
  }

  /** The signer says that the key has no session. */
  forget(organizationId: string, credential: string): void {
    this.#sessions.forget(organizationId, credential)
  }
}

function holderOf(organization: Organization, session: Session | undefined): Holder | undefined {
  const user = session && organization.user(session.userId)
  return user && { user, apiKey: session }
}
