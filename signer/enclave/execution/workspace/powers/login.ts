import type { Parameters } from "../../../../core/policy/parameters/shown-parameters.ts"
import { credentialNameOf, lapsedLogin, openedByOf, sessionScopeOf } from "../../state/credential-owner.ts"
import { requireLoginMfa } from "../login-mfa.ts"
import { mailTemplateOf } from "../mail-templates.ts"
import { settingsOf } from "../settings.ts"
import type { Makers } from "./makers.ts"

export const LOGIN_POWERS = {
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
  loginMfa: ({ request, run: { organization }, deps }) => ({
    require(user, credential) {
      const { activity, parameters } = request
      const login = { activity, parameters: parameters as Parameters, organization }
      requireLoginMfa(login, user, credential, deps)
    },
  }),
  settings: ({ run: { organization, governing }, deps }) => ({
    get own() {
      return settingsOf(organization.document)
    },
    get governing() {
      return settingsOf(governing().document)
    },
    mailTemplate: (id, field) => mailTemplateOf(governing(), id, field, deps),
  }),
} satisfies Partial<Makers>
