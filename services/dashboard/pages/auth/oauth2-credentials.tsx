import { useQuery } from "../../api/data.ts"
import { requireLogin } from "../../api/login.ts"
import { sealClientSecret } from "../../api/seal-secret.ts"
import { trust } from "../../api/trust.ts"
import { Empty, Id } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { textOf } from "../../ui/fields.tsx"
import { ListSection } from "../../ui/list-section.tsx"
import { actsColumn } from "../../ui/row-menu.tsx"

type Credential = { oauth2CredentialId: string; provider: string; clientId: string }

/** OAuth 2.0 credentials: the client secrets with which the fetcher exchanges codes of X and Discord. */
export function Credentials() {
  const state = useQuery<{ oauth2Credentials: Credential[] }>("list_oauth2_credentials")
  return (
    <ListSection<Credential>
      title="OAuth 2.0 credentials"
      verb="Add credential"
      onAdd={createCredential}
      columns={[
        { title: "Provider", cell: ({ provider }) => <b>{providerOf(provider)}</b> },
        { title: "Client id", cell: ({ clientId }) => <Id id={clientId} whole /> },
        { title: "Credential", wide: true, cell: ({ oauth2CredentialId: id }) => <Id id={id} /> },
        actsColumn(
          ({ provider }) => providerOf(provider),
          (one) => [{ verb: "Delete", act: () => deleteCredential(one), grave: true }],
        ),
      ]}
      rows={state.data?.oauth2Credentials}
      state={state}
      keyOf={({ oauth2CredentialId }) => oauth2CredentialId}
      empty={<Empty sentence="There is none. Logins with X and Discord need one." />}
    />
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
