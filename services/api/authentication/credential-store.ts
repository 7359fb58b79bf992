import { isPasskeyName } from "../../../signer/core/webauthn/credential-id.ts"
import type { LedgerSync } from "../signer/ledger-sync.ts"
import type { StoredSession } from "../store/sessions.ts"
import type { StoredCredentialOwner, StoredOrganization } from "../store/stored-organization.ts"
import type { SessionStore } from "./session-store.ts"

/**
 * Owners of credentials. A credential is in the organization's document, or it is the key of a session. A session has its
 * own record and belongs to a user of the document.
 */
export class CredentialStore {
  readonly #sessions: SessionStore
  readonly #ledgerSync: Pick<LedgerSync, "restoreSession">

  constructor(sessions: SessionStore, ledgerSync: Pick<LedgerSync, "restoreSession">) {
    this.#sessions = sessions
    this.#ledgerSync = ledgerSync
  }

  /** The owner, looked up in memory only. */
  peek(organization: StoredOrganization, credential: string): StoredCredentialOwner | undefined {
    return (
      organization.credentialOwner(credential) ??
      sessionOwner(organization, this.#sessions.peek(organization.id, credential))
    )
  }

  /** The owner, by the database's version of the session. */
  async find(
    organization: StoredOrganization,
    credential: string,
  ): Promise<StoredCredentialOwner | undefined> {
    return (
      organization.credentialOwner(credential) ??
      sessionOwner(organization, await this.#sessions.refresh(organization.id, credential))
    )
  }

  /** Asks the signer for a session that `find` did not find. To be called before a caller is refused. */
  async catchUp(
    organization: StoredOrganization,
    credential: string,
  ): Promise<StoredCredentialOwner | undefined> {
    const known = this.peek(organization, credential)
    if (known !== undefined || isPasskeyName(credential)) return known
    const isRestored = await this.#ledgerSync.restoreSession(organization.id, credential)
    return isRestored ? this.find(organization, credential) : undefined
  }

  /** Removes a session from memory, after the signer said that the key has none. */
  forget(organizationId: string, credential: string): void {
    this.#sessions.forget(organizationId, credential)
  }
}

function sessionOwner(
  organization: StoredOrganization,
  session: StoredSession | undefined,
): StoredCredentialOwner | undefined {
  const user = session && organization.user(session.userId)
  return user && { user, apiKey: session }
}
