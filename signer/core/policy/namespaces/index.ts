import type { Type } from "../language/types.ts"
import { bool, int, list, map, oneOf, reference, string, struct, timestamp } from "../language/types.ts"
import { parametersByType } from "../parameters/index.ts"
import {
  bitcoinTransaction,
  ethAuthorization,
  ethTransaction,
  ethTypedData,
  solanaTransaction,
  tempoTransaction,
  tronTransaction,
} from "./chains.ts"
import { type Field, firstWord, type Namespace } from "../language/names.ts"

const fields = Object.values(parametersByType).map((shown) => shown.fields)

/**
 * `activity`, of every request. `type` is one version of an activity, `kind` all its versions. `params` has the fields
 * of all activities; a request has those of its own type, and reading another is a fault. A field has the same type in
 * every activity.
 */
export const activity = struct("Activity", {
  type: reference("activity-type"),
  kind: reference("activity-kind"),
  resource: reference("resource"),
  action: reference("action"),
  params: struct("ActivityParams", Object.assign({}, ...fields), { partial: true }),
})

/** `approvers`: users who approved the activity, the submitter first. */
export const approvers = list(
  struct("User", {
    id: reference("user-id"),
    tags: list(reference("user-tag-id")),
    email: string,
    alias: string,
  }),
)

/** `credentials`: the credentials that stamped the approvals. Only passkeys have a `credential_id`. */
export const credentials = list(
  struct("Credential", {
    id: string,
    user_id: reference("user-id"),
    type: oneOf(
      "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR",
      "CREDENTIAL_TYPE_API_KEY_P256",
      "CREDENTIAL_TYPE_API_KEY_SECP256K1",
      "CREDENTIAL_TYPE_API_KEY_ED25519",
      "CREDENTIAL_TYPE_OTP_AUTH_KEY_P256",
      "CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256",
      "CREDENTIAL_TYPE_RECOVER_USER_KEY_P256",
      "CREDENTIAL_TYPE_OAUTH_KEY_P256",
      "CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256",
      "CREDENTIAL_TYPE_LOGIN",
    ),
    credential_id: string,
    public_key: string,
  }),
)

/** `wallet`: of requests that sign with, or export, a wallet or one of its accounts. */
export const wallet = struct("Wallet", {
  id: reference("wallet-id"),
  label: string,
  imported: bool,
  exported: bool,
})

/** `wallets`: of requests on several wallets. */
export const wallets = list(wallet)

/**
 * `wallet_account`: the account of such a request. Its address is compared exactly; Ethereum addresses are stored in the
 * mixed case of EIP-55. Only an export has the path. `path_indexes` are without the hardened bit.
 */
export const walletAccount = struct("WalletAccount", {
  address: { kind: "string", refersTo: "wallet-account-address", spelling: "eip-55" },
  path_indexes: list(int),
  path_hardened: list(bool),
})

/** `private_key`: of requests that sign with, or export, a key outside wallets. It shows no address. */
export const privateKey = struct("PrivateKey", {
  id: reference("private-key-id"),
  label: string,
  tags: list(reference("private-key-tag-id")),
  imported: bool,
  exported: bool,
})

/** `secret`: of requests that export one. Its properties were given at import and never change. */
export const secret = struct("Secret", { static_properties: map(string) })

/**
 * `controls`: the organization's velocity controls by their identifiers. Each is true if its comparison is true with this
 * request counted in. Only conditions of policies read them.
 */
export const controls = struct("Controls", {}, { others: bool })

const roots = {
  condition: {
    activity,
    controls,
    wallet,
    wallets,
    wallet_account: walletAccount,
    private_key: privateKey,
    secret,
    "eth.tx": ethTransaction,
    "eth.eip_712": ethTypedData,
    "eth.eip_7702_authorization": ethAuthorization,
    "solana.tx": solanaTransaction,
    "tron.tx": tronTransaction,
    "bitcoin.tx": bitcoinTransaction,
    "tempo.tx": tempoTransaction,
  },
  consensus: { approvers, credentials },
  // The instant of the request.
  time: { "time.now": timestamp },
} as const satisfies Record<Field, Readonly<Record<string, Type>>>

/** Stored policies may have a variable named `controls`, which there hides the root. */
const rootWords = new Set(
  Object.values(roots)
    .flatMap((ofField) => Object.keys(ofField).map(firstWord))
    .filter((word) => word !== "controls"),
)

export const namespaces: Readonly<Record<Field, Namespace>> = {
  condition: { field: "condition", roots: roots.condition, rootWords },
  consensus: { field: "consensus", roots: roots.consensus, rootWords },
  time: { field: "time", roots: roots.time, clock: "time.now", rootWords },
}
