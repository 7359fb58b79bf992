// The part of an organization's file that another deployment can take: nothing in it waits for what only a person can bring.
import t from "tap"
import type { OrganizationFile } from "../../../services/organization-file/file.ts"
import type { LiveOrganization } from "../../../services/organization-file/live.ts"
import { movablePart } from "../../../services/organization-file/movable.ts"
import { root } from "./organization-answers.ts"

const passkey = { authenticatorName: "phone", credentialId: "AAAA", publicKey: "02" }
const google = { providerName: "google", issuer: "https://i.example", audience: "a", subject: "s" }
const mfa = (mfaPolicyName: string, ...ids: string[]) => ({
  mfaPolicyName,
  condition: "true",
  order: 1,
  notes: "",
  requiredAuthenticationMethods: [{ any: ids.map((id) => ({ type: "AUTHENTICATION_TYPE_PASSKEY", id })) }],
})
const file = {
  version: 1,
  users: [
    {
      userName: "root",
      authenticators: [passkey],
      oauthProviders: [google],
      mfaPolicies: [mfa("by phone", "@passkey:phone"), mfa("by key", "@api-key:laptop")],
    },
  ],
  oauth2Credentials: [{ provider: "OAUTH2_PROVIDER_X", clientId: "app" }],
  fiatOnRampCredentials: [
    { onrampProvider: "FIAT_ON_RAMP_PROVIDER_MOONPAY", publishableApiKey: "pk", sandboxMode: true },
  ],
} as unknown as OrganizationFile
const empty = { users: [root], oauth2Credentials: [], fiatOnRampCredentials: [] }
const live = (changes: object = {}) => ({ ...empty, ...changes }) as unknown as LiveOrganization
const NO_SECRETS = { "client-secret": [], "on-ramp-secret": [], "on-ramp-private-key": [] }

t.test("each part that stays behind is named, with the reason and the next step", async (t) => {
  const { file: part, leftOut } = movablePart(file, live(), NO_SECRETS)
  t.strictSame(part.users, [{ userName: "root", mfaPolicies: [mfa("by key", "@api-key:laptop")] }])
  t.strictSame([part.oauth2Credentials, part.fiatOnRampCredentials], [[], []])
  t.strictSame(
    leftOut.map(({ what, why }) => `${what}: ${why}`),
    [
      "passkey phone of root: it works at its own site: root registers another one here",
      "OpenID Connect identity google of root: its owner proves it: root adds it here with a new token",
      "MFA policy by phone of root: it names @passkey:phone, which root lacks here; until then their other credentials act alone",
      "OAuth 2.0 credential x:app: no service gives its secret out: add --client-secret x:app=FILE",
      "on-ramp credential moonpay-sandbox: no service gives its secret keys out: add --on-ramp-secret moonpay-sandbox=FILE",
    ],
  )
})

t.test("a repeated move carries what a person has brought since", async (t) => {
  const secrets = {
    ...NO_SECRETS,
    "client-secret": ["x:app=client.txt"],
    "on-ramp-secret": ["moonpay-sandbox=ramp.txt"],
  }
  const registered = live({ users: [{ ...root, authenticators: [passkey], oauthProviders: [google] }] })
  const { file: part, leftOut } = movablePart(file, registered, secrets)
  t.strictSame(leftOut, [])
  t.equal(part.users?.[0]?.mfaPolicies?.length, 2)
  t.strictSame(part.oauth2Credentials, file.oauth2Credentials)
  t.strictSame(part.fiatOnRampCredentials, file.fiatOnRampCredentials)
  const there = live({
    oauth2Credentials: file.oauth2Credentials,
    fiatOnRampCredentials: file.fiatOnRampCredentials,
  })
  t.strictSame(movablePart(file, there, NO_SECRETS).file.oauth2Credentials, file.oauth2Credentials)
})
