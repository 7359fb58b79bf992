import { onRampName } from "../../terminal-client/names/kinds.ts"
import { change, type FieldOption, list, type Resource, show } from "./resource.ts"
import { clientSecretOption, onRampKeyOption } from "./sealed.ts"

/** Keys of an on-ramp provider. Secrets come from files or a prompt, never from the command line. */
const ON_RAMP_OPTIONS: { readonly [member: string]: FieldOption } = {
  encryptedSecretApiKey: { ...onRampKeyOption("secret", "secret API key"), fallback: "-" },
  encryptedPrivateApiKey: onRampKeyOption("private-key", "private API key"),
}

const oauth2Credentials: Resource = {
  name: "oauth2-credential",
  about: "OAuth 2.0 credentials: client ids at providers, with their sealed secrets",
  strip: ["oauth2"],
  kind: "oauth2-credential",
  commands: [
    change(
      "create",
      "CREATE_OAUTH2_CREDENTIAL",
      "store a client id, and its secret sealed to the fetcher",
      [
        "oauth2-credential create app-client --provider x",
        "oauth2-credential create app-client --provider discord --secret secret.txt",
      ],
      { argument: "clientId", options: { encryptedClientSecret: clientSecretOption("secret") } },
    ),
    list(
      "list_oauth2_credentials oauth2Credentials",
      "list the OAuth 2.0 credentials",
      "oauth2-credential list",
      {
        "client id": "clientId",
        provider: ({ provider }) => String(provider).replace("OAUTH2_PROVIDER_", "").toLowerCase(),
        id: "oauth2CredentialId",
      },
    ),
    show(
      "get_oauth2_credential oauth2Credential",
      "show an OAuth 2.0 credential, by its client id or id; its secret stays sealed",
      ["oauth2-credential show app-client"],
    ),
    change(
      "update",
      "UPDATE_OAUTH2_CREDENTIAL",
      "replace provider, client id and secret of an OAuth 2.0 credential",
      ["oauth2-credential update app-client --provider x --client-id app-client --secret new.txt"],
      { options: { encryptedClientSecret: clientSecretOption("secret") } },
    ),
    change("delete", "DELETE_OAUTH2_CREDENTIAL", "delete an OAuth 2.0 credential and its secret", [
      "oauth2-credential delete app-client",
    ]),
  ],
}

const onRampCredentials: Resource = {
  name: "on-ramp-credential",
  about: "on-ramp credentials: keys that providers issued; moonpay and moonpay-sandbox name MoonPay's",
  strip: ["onramp"],
  kind: "on-ramp-credential",
  commands: [
    change(
      "create",
      "CREATE_FIAT_ON_RAMP_CREDENTIAL",
      "store the keys of a provider, the secret ones sealed to the fetcher",
      [
        "on-ramp-credential create --provider moonpay --publishable-api-key pk_live_example --secret secret.txt",
        "on-ramp-credential create --provider coinbase --project-id example --publishable-api-key example --secret key-id.txt --private-key private.pem",
      ],
      { options: ON_RAMP_OPTIONS },
    ),
    list("list_fiat_on_ramp_credentials fiatOnRampCredentials", "list the keys", "on-ramp-credential list", {
      name: onRampName,
      "publishable key": "publishableApiKey",
      id: "fiatOnrampCredentialId",
    }),
    show("list_fiat_on_ramp_credentials", "show the keys of a provider; the secret ones stay sealed", [
      "on-ramp-credential show moonpay",
    ]),
    change(
      "update",
      "UPDATE_FIAT_ON_RAMP_CREDENTIAL",
      "replace the keys of a provider; they stay live or sandbox",
      [
        "on-ramp-credential update moonpay --provider moonpay --publishable-api-key pk_live_example --secret new.txt",
      ],
      { options: ON_RAMP_OPTIONS },
    ),
    change("delete", "DELETE_FIAT_ON_RAMP_CREDENTIAL", "delete the keys of a provider", [
      "on-ramp-credential delete moonpay",
    ]),
  ],
}

/** Credentials that providers issued to the organization. */
export const providerCredentials: readonly Resource[] = [oauth2Credentials, onRampCredentials]
