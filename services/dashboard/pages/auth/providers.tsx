import { Facts, Id, Section } from "../../ui/basics.tsx"
import { type FormField, linesOf, manyOf, textOf } from "../../ui/fields.tsx"
import { Applications } from "./applications.tsx"
import { Credentials } from "./oauth2-credentials.tsx"
import { changeSettings, type ProxySettings } from "./proxy.ts"

const SOCIAL = [
  ["google", "Google"],
  ["apple", "Apple"],
  ["facebook", "Facebook"],
  ["x", "X"],
  ["discord", "Discord"],
] as const

const METHODS = [
  ["email", "Code by e-mail"],
  ["sms", "Code by text message"],
  ["passkey", "Passkey"],
  ["wallet", "Wallet"],
  ...SOCIAL,
  ["oidc", "ID tokens of any other issuer"],
] as const

const optionsOf = (names: readonly (readonly [value: string, label: string])[]) =>
  names.map(([value, label]) => ({ value, label }))

const labelOf = (value: string) => METHODS.find(([name]) => name === value)?.[1] ?? value

/** Ways to log in, social logins with their client ids, and the applications whose tokens are accepted. */
export function Providers({ settings }: { settings: ProxySettings }) {
  const kit = settings.walletKitSettings ?? {}
  const ids = kit.oauthClientIds ?? {}
  return (
    <>
      <Section
        title="Ways to log in"
        aside={
          <button type="button" class="button tight" onClick={() => changeMethods(settings)}>
            Change
          </button>
        }
      >
        <div class="card">
          <Facts
            facts={[
              ["On", (settings.allowedAuthMethods ?? []).map(labelOf).join(", ")],
              [
                "Buttons of social logins",
                (kit.enabledSocialProviders ?? []).map(labelOf).join(", ") || <span class="quiet">none</span>,
              ],
              ...SOCIAL.map(
                ([name, label]) =>
                  [`Client id of ${label}`, ids[name] && <Id id={ids[name]} whole />] as const,
              ),
              ["They return to", kit.oauthRedirectUrl],
              ["Linked by e-mail address", (settings.socialLinkingClientIds ?? []).join(", ")],
            ]}
          />
        </div>
      </Section>
      <Applications />
      <Credentials />
    </>
  )
}

function changeMethods(settings: ProxySettings): void {
  const kit = settings.walletKitSettings ?? {}
  const fields: FormField[] = [
    {
      name: "allowedAuthMethods",
      label: "Ways to log in",
      kind: "many",
      options: optionsOf(METHODS),
      initial: settings.allowedAuthMethods ?? [],
      hint: "Others are refused by the auth proxy. None: code by e-mail, passkey and wallet.",
    },
    {
      name: "enabledSocialProviders",
      label: "Buttons of social logins",
      kind: "many",
      path: "walletKitSettings.enabledSocialProviders",
      options: optionsOf(SOCIAL),
      initial: kit.enabledSocialProviders ?? [],
    },
    ...SOCIAL.map(([name, label]) => ({
      name,
      label: `Client id of ${label}`,
      path: "walletKitSettings.oauthClientIds",
      code: true,
      initial: kit.oauthClientIds?.[name] ?? "",
    })),
    {
      name: "oauthRedirectUrl",
      label: "Address they return to",
      path: "walletKitSettings.oauthRedirectUrl",
      code: true,
      initial: kit.oauthRedirectUrl ?? "",
    },
    {
      name: "socialLinkingClientIds",
      label: "Google client ids linked by e-mail address",
      kind: "area",
      code: true,
      hint: "One a line. A user with the same verified address gets this login.",
      initial: (settings.socialLinkingClientIds ?? []).join("\n"),
    },
  ]
  changeSettings({
    title: "Change the ways to log in",
    fields,
    parameters: (values) => {
      const methods = manyOf(values, "allowedAuthMethods")
      const linking = linesOf(values, "socialLinkingClientIds")
      const clientIds = SOCIAL.map(([name]) => [name, textOf(values, name)] as const)
      const redirect = textOf(values, "oauthRedirectUrl")
      return {
        resetMembers: ["allowedAuthMethods", "walletKitSettings", "socialLinkingClientIds"],
        ...(methods.length > 0 && { allowedAuthMethods: methods }),
        ...(linking.length > 0 && { socialLinkingClientIds: linking }),
        walletKitSettings: {
          enabledSocialProviders: manyOf(values, "enabledSocialProviders"),
          oauthClientIds: Object.fromEntries(clientIds.filter(([, id]) => id !== "")),
          ...(redirect !== "" && { oauthRedirectUrl: redirect }),
        },
      }
    },
  })
}
