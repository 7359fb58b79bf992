// Methods of MFA policies as values of a form: a type, or a type and the one credential or profile that counts.
import type { MfaMethod, User } from "../../api/people.ts"
import type { Option } from "../../ui/options.tsx"
import type { Profile } from "./session-profiles.tsx"

const [PASSKEY, API_KEY, SESSION, OAUTH] = ["PASSKEY", "API_KEY", "SESSION", "OAUTH"].map(
  (kind) => `AUTHENTICATION_TYPE_${kind}`,
) as [string, string, string, string]

const ANY_OF_TYPE: readonly Option[] = [
  { value: PASSKEY, label: "Passkey" },
  { value: API_KEY, label: "API key" },
  { value: SESSION, label: "Session key" },
  { value: "AUTHENTICATION_TYPE_EMAIL_OTP", label: "Code by e-mail" },
  { value: "AUTHENTICATION_TYPE_SMS_OTP", label: "Code by text message" },
  { value: OAUTH, label: "ID token" },
]

/** Method id of a session without a profile. */
const PLAIN_SESSION = "00000000-0000-0000-0000-000000000000"

export const valueOf = ({ type, id }: MfaMethod): string =>
  id === undefined || id === "" ? type : `${type} ${id}`

export function methodOf(value: string): MfaMethod {
  const [type = "", id] = value.split(" ")
  return id === undefined ? { type } : { type, id }
}

/** The methods that a step may list: any credential of a type, one of the user's, or sessions of one profile. */
export function methodOptions(user: User | undefined, profiles: readonly Profile[]): readonly Option[] {
  const { authenticators = [], apiKeys = [], oauthProviders = [] } = user ?? {}
  const lasting = apiKeys.filter(({ expirationSeconds }) => expirationSeconds === undefined)
  return [
    ...ANY_OF_TYPE,
    ...authenticators.map((one) =>
      option(PASSKEY, one.authenticatorId, `Passkey “${one.authenticatorName}”`),
    ),
    ...lasting.map((one) => option(API_KEY, one.apiKeyId, `API key “${one.apiKeyName}”`)),
    ...oauthProviders.map((one) => option(OAUTH, one.providerId, `ID token of “${one.providerName}”`)),
    option(SESSION, PLAIN_SESSION, "Session key without a profile"),
    ...profiles.map((one) =>
      option(SESSION, one.sessionProfileId, `Session key of profile “${one.sessionProfileName}”`),
    ),
  ]
}

const option = (type: string, id: string, label: string): Option => ({ value: valueOf({ type, id }), label })

/** Words of a method. A credential that the user has lost is named by its id. */
export function methodLabels(user: User | undefined, profiles: readonly Profile[]) {
  const labels = new Map(methodOptions(user, profiles).map(({ value, label }) => [value, label]))
  return (method: MfaMethod): string =>
    labels.get(valueOf(method)) ?? `${labels.get(method.type) ?? method.type} ${method.id ?? ""}`.trim()
}
