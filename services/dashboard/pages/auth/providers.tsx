import { sealClientSecret } from "../../api/seal-secret.ts"
import { useQuery } from "../../api/data.ts"
import { useOrganization } from "../../api/directory.ts"
import { requireLogin } from "../../api/login.ts"
import { trust } from "../../api/trust.ts"
import { Empty, Facts, Id, Section } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { type Field, manyOf, textOf } from "../../ui/fields.tsx"
import { Table } from "../../ui/table.tsx"
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
  const fields: Field[] = [
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
      const linking = linesOf(textOf(values, "socialLinkingClientIds"))
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

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

const APPLICATIONS = "FEATURE_NAME_OIDC_APPLICATIONS"

/** Issuers and client ids whose ID tokens are accepted. */
function Applications() {
  const { data } = useOrganization()
  const value = data?.features.find(({ name }) => name === APPLICATIONS)?.value
  const listed = Object.entries(readApplications(value))
  return (
    <Section
      title="Accepted applications"
      aside={
        <button type="button" class="button tight" onClick={() => changeApplications(listed)}>
          Change
        </button>
      }
    >
      <Table
        label="Accepted applications"
        columns={[
          { title: "Issuer", cell: ([issuer]: [string, string[]]) => <b class="wrap">{issuer}</b> },
          {
            title: "Client ids",
            cell: ([, ids]) => (
              <span class="wrap mono">{ids.join(", ").replace(/^\*$/, "* (every one)")}</span>
            ),
          },
        ]}
        rows={data && listed}
        state={{ error: undefined, reload: () => undefined }}
        keyOf={([issuer]) => issuer}
        empty={
          <Empty sentence="No list: tokens of every application of the operator’s issuers are accepted." />
        }
      />
    </Section>
  )
}

function readApplications(value: string | undefined): { [issuer: string]: string[] } {
  try {
    return JSON.parse(value ?? "{}") as { [issuer: string]: string[] }
  } catch {
    return {}
  }
}

function changeApplications(listed: readonly (readonly [issuer: string, ids: string[]])[]): void {
  openChange({
    title: "Change the accepted applications",
    verb: "Save",
    type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
    fields: [
      {
        name: "value",
        label: "Issuers and client ids",
        kind: "area",
        code: true,
        initial: listed.map(([issuer, ids]) => [issuer, ...ids].join(" ")).join("\n"),
        placeholder: "https://accounts.google.com 1234.apps.googleusercontent.com",
        hint: "One issuer a line, then its client ids, with spaces between. * as a client id: all of the issuer. No line: no token is accepted.",
      },
    ],
    parameters: (values) => {
      const entries = linesOf(textOf(values, "value")).map((line) => {
        const [issuer = "", ...ids] = line.split(/\s+/)
        return [issuer, ids]
      })
      return { name: APPLICATIONS, value: JSON.stringify(Object.fromEntries(entries)) }
    },
  })
}

type Credential = { oauth2CredentialId: string; provider: string; clientId: string }

/** OAuth 2.0 credentials: the client secrets with which the fetcher exchanges codes of X and Discord. */
function Credentials() {
  const state = useQuery<{ oauth2Credentials: Credential[] }>("list_oauth2_credentials")
  return (
    <Section
      title="OAuth 2.0 credentials"
      aside={
        <button type="button" class="button tight" onClick={createCredential}>
          Add credential
        </button>
      }
    >
      <Table<Credential>
        label="OAuth 2.0 credentials"
        columns={[
          { title: "Provider", cell: ({ provider }) => <b>{providerOf(provider)}</b> },
          { title: "Client id", cell: ({ clientId }) => <Id id={clientId} whole /> },
          { title: "Credential", wide: true, cell: ({ oauth2CredentialId: id }) => <Id id={id} /> },
          {
            title: "Delete",
            cell: (one) => (
              <button type="button" class="button plain tight" onClick={() => deleteCredential(one)}>
                Delete
              </button>
            ),
          },
        ]}
        rows={state.data?.oauth2Credentials}
        state={state}
        keyOf={({ oauth2CredentialId }) => oauth2CredentialId}
        empty={<Empty sentence="There is none. Logins with X and Discord need one." />}
      />
    </Section>
  )
}

const providerOf = (provider: string) => (provider === "OAUTH2_PROVIDER_X" ? "X" : "Discord")

function createCredential(): void {
  openChange({
    title: "Add OAuth 2.0 credential",
    verb: "Add credential",
    type: "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL",
    fields: [
      {
        name: "provider",
        label: "Provider",
        kind: "select",
        options: [
          { value: "OAUTH2_PROVIDER_X", label: "X" },
          { value: "OAUTH2_PROVIDER_DISCORD", label: "Discord" },
        ],
      },
      { name: "clientId", label: "Client id", code: true },
      {
        name: "secret",
        label: "Client secret",
        kind: "password",
        path: "encryptedClientSecret",
        hint: "Sealed in this browser to the fetcher of the pins that it trusts. No other process can read it.",
      },
    ],
    parameters: async (values) => {
      const secret = textOf(values, "secret")
      const { organizationId } = requireLogin()
      const fetcher = trust.value?.pins?.["fetcherPublicKey"] ?? ""
      return {
        provider: textOf(values, "provider"),
        clientId: textOf(values, "clientId"),
        encryptedClientSecret: secret === "" ? "" : await sealClientSecret(fetcher, organizationId, secret),
      }
    },
  })
}

function deleteCredential({ oauth2CredentialId, provider, clientId }: Credential): void {
  openChange({
    title: "Delete OAuth 2.0 credential",
    verb: "Delete credential",
    type: "ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL",
    grave: { loses: `Nobody can log in with ${providerOf(provider)} by it any longer.`, name: clientId },
    parameters: () => ({ oauth2CredentialId }),
  })
}
