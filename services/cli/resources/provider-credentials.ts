import { onRampName } from "../names/kinds.ts"
import { clientSecretOption, onRampKeyOption } from "./sealed.ts"
import type { FieldOption, Resource } from "./resource.ts"

/** Keys of an on-ramp provider. Secrets come from files or a prompt, never from the command line. */
const ON_RAMP_OPTIONS: { readonly [member: string]: FieldOption } = {
  encryptedSecretApiKey: { ...onRampKeyOption("secret", "secret API key"), fallback: "-" },
  encryptedPrivateApiKey: onRampKeyOption("private-key", "private API key"),
}

/** Credentials that providers issued to the organization. */
export const providerCredentials: readonly Resource[] = [
  {
    name: "oauth2-credential",
    about: "OAuth 2.0 credentials: client ids at providers, with their sealed secrets",
    strip: ["oauth2"],
    kind: "oauth2-credential",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL",
        about: "store a client id, and its secret sealed to the fetcher",
        argument: "clientId",
        options: { encryptedClientSecret: clientSecretOption("secret") },
        examples: [
          "oauth2-credential create app-client --provider x",
          "oauth2-credential create app-client --provider discord --secret secret.txt",
        ],
      },
      {
        verb: "list",
        query: "list_oauth2_credentials",
        member: "oauth2Credentials",
        about: "list the OAuth 2.0 credentials",
        columns: [
          ["client id", "clientId"],
          ["provider", ({ provider }) => String(provider).replace("OAUTH2_PROVIDER_", "").toLowerCase()],
          ["id", "oauth2CredentialId"],
        ],
        examples: ["oauth2-credential list"],
      },
      {
        verb: "show",
        query: "get_oauth2_credential",
        member: "oauth2Credential",
        about: "show an OAuth 2.0 credential, by its client id or id; its secret stays sealed",
        argument: { member: "oauth2CredentialId", kind: "oauth2-credential" },
        examples: ["oauth2-credential show app-client"],
      },
      {
        verb: "update",
        type: "ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL",
        about: "replace provider, client id and secret of an OAuth 2.0 credential",
        argument: "oauth2CredentialId",
        options: { encryptedClientSecret: clientSecretOption("secret") },
        examples: [
          "oauth2-credential update app-client --provider x --client-id app-client --secret new.txt",
        ],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL",
        about: "delete an OAuth 2.0 credential and its secret",
        argument: "oauth2CredentialId",
        examples: ["oauth2-credential delete app-client"],
      },
    ],
  },
  {
    name: "on-ramp-credential",
    about: "on-ramp credentials: keys that providers issued; moonpay and moonpay-sandbox name MoonPay's",
    strip: ["onramp"],
    kind: "on-ramp-credential",
    commands: [
      {
        verb: "create",
        type: "ACTIVITY_TYPE_CREATE_FIAT_ON_RAMP_CREDENTIAL",
        about: "store the keys of a provider, the secret ones sealed to the fetcher",
        options: ON_RAMP_OPTIONS,
        examples: [
          "on-ramp-credential create --provider moonpay --publishable-api-key pk_live_example --secret secret.txt",
          "on-ramp-credential create --provider coinbase --project-id example --publishable-api-key example --secret key-id.txt --private-key private.pem",
        ],
      },
      {
        verb: "list",
        query: "list_fiat_on_ramp_credentials",
        member: "fiatOnRampCredentials",
        about: "list the keys",
        columns: [
          ["name", onRampName],
          ["publishable key", "publishableApiKey"],
          ["id", "fiatOnrampCredentialId"],
        ],
        examples: ["on-ramp-credential list"],
      },
      {
        verb: "show",
        query: "list_fiat_on_ramp_credentials",
        member: "",
        about: "show the keys of a provider; the secret ones stay sealed",
        argument: { member: "", kind: "on-ramp-credential" },
        examples: ["on-ramp-credential show moonpay"],
      },
      {
        verb: "update",
        type: "ACTIVITY_TYPE_UPDATE_FIAT_ON_RAMP_CREDENTIAL",
        about: "replace the keys of a provider; they stay live or sandbox",
        argument: "fiatOnrampCredentialId",
        options: ON_RAMP_OPTIONS,
        examples: [
          "on-ramp-credential update moonpay --provider moonpay --publishable-api-key pk_live_example --secret new.txt",
        ],
      },
      {
        verb: "delete",
        type: "ACTIVITY_TYPE_DELETE_FIAT_ON_RAMP_CREDENTIAL",
        about: "delete the keys of a provider",
        argument: "fiatOnrampCredentialId",
        examples: ["on-ramp-credential delete moonpay"],
      },
    ],
  },
]
