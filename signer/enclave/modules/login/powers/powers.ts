// Powers of logins: sessions, codes and their tokens, keys by mail, OAuth 2.0 providers, MFA policies of a login's user.
import {
  credentialNameOf,
  lapsedLogin,
  openedByOf,
  sessionScopeOf,
} from "../../../execution/state/credential-owner.ts"
import type { Makers } from "../../../execution/workspace/makers.ts"
import { CHECKED_CODE, codesOf, STARTED_CODE, verificationsOf } from "./codes.ts"
import { requireLoginMfa } from "./login-mfa.ts"
import { MAILED_KEY, mailedKeysOf } from "./mailed-keys.ts"
import { clientSecretsOf, EXCHANGED_CODE, oauth2Of, OPENED_SECRET } from "./oauth2.ts"

export const fetched = [STARTED_CODE, CHECKED_CODE, MAILED_KEY, OPENED_SECRET, EXCHANGED_CODE]

export const powers = {
  session({ run, sessions, deps: { keyring } }) {
    const organizationId = run.organization.id
    return {
      open: (session) => sessions.open(session),
      token: (claims) => keyring.sessionToken({ ...claims, organizationId }),
      readOnly: (session) => keyring.readOnlySession({ ...session, organizationId }),
    }
  },
  credential({ submitter: { credential: owner } }) {
    if (owner === undefined) throw lapsedLogin()
    return {
      name: credentialNameOf(owner),
      expiresAtMs: "apiKey" in owner ? owner.apiKey.expiresAtMs : 0n,
      scope: sessionScopeOf(owner),
      openedBy: openedByOf(owner),
      provenChannel: "contact" in owner ? owner.contact.channel : undefined,
    }
  },
  code: codesOf,
  verification: ({ facts }) => verificationsOf(facts),
  mailedKey: mailedKeysOf,
  oauth2: ({ facts }) => oauth2Of(facts),
  clientSecret: ({ facts }) => clientSecretsOf(facts),
  loginMfa: ({ factsRequest }) => ({
    require: (user, credential) => requireLoginMfa(factsRequest, user, credential),
  }),
} satisfies Partial<Makers>
