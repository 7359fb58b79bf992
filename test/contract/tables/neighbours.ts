// Operations outside the document that part 1 serves, as published clients know them. The catalogue test does not
// hold proto/ to these; live replies are checked with them (../replies.ts).
import { EFFECT, HASH_FUNCTION, PAYLOAD_ENCODING, POLICY_OUTCOME } from "./enums.ts"
import {
  number,
  boolean,
  beyond,
  type Fields,
  list,
  object,
  oneOf,
  record,
  silentOptional,
  silentRequired,
  string,
  timestamp,
} from "./field.ts"
import type { QueryOperation } from "./query.ts"
import { type Reply, reply } from "./reply.ts"
import { privateKey, smartContractInterfaceReference, tag } from "./key-operations.ts"
import { policy } from "./policy-operations.ts"
import { activity, appProof, authenticator, user, wallet } from "./resources.ts"
import { feature, quorum } from "./user-operations.ts"

const signature: Fields = { r: silentRequired(string), s: silentRequired(string), v: silentRequired(string) }

const sessionOwner: Fields = {
  organizationId: silentRequired(string),
  organizationName: silentRequired(string),
  userId: silentRequired(string),
  username: silentRequired(string),
}

const sealedSession: Fields = {
  ...sessionOwner,
  apiKeyId: silentRequired(string),
  credentialBundle: silentRequired(string),
}

const logHead: Fields = {
  checkpoint: silentRequired(string),
  logKeyStatement: silentRequired(string),
  logKeySignature: silentRequired(string),
}

const decisionReceipt: Fields = {
  activityId: silentRequired(string),
  voteId: silentRequired(string),
  decidedAtMs: silentRequired(string),
  logOrigin: silentOptional(string),
  leafIndex: silentOptional(string),
  salt: silentOptional(string),
  statement: silentOptional(string),
}

const logLeafProof: Fields = {
  leafIndex: silentRequired(string),
  leaf: silentRequired(string),
  inclusionProof: silentRequired(list(string)),
}

const deploymentLink: Fields = {
  peer: silentRequired(string),
  transport: silentRequired(string),
  certificates: silentRequired(
    list(
      record({
        holder: silentRequired(string),
        subject: silentRequired(string),
        issuer: silentRequired(string),
        expiresAt: silentRequired(timestamp),
        daysLeft: silentRequired(number),
      }),
    ),
  ),
}

const deploymentQueue: Fields = {
  name: silentRequired(string),
  caip2: silentOptional(string),
  waitingCount: silentRequired(number),
  deadCount: silentRequired(number),
  oldestAt: silentOptional(timestamp),
}

/** Each version has a result of its own name, with the members of the documented one. */
const subOrganizationReplies = ["V4", "V5", "V6", "V8"].map((version) => ({
  ...reply("CREATE_SUB_ORGANIZATION", version, "createSubOrganization", {
    subOrganizationId: silentRequired(string),
    wallet: silentOptional(
      record({ walletId: silentRequired(string), addresses: silentRequired(list(string)) }),
    ),
    rootUserIds: silentRequired(list(string)),
  }),
  result: `createSubOrganizationResult${version}`,
}))

const sent: Fields = { sendTransactionStatusId: silentRequired(string) }

export const neighbourReplies: readonly Reply[] = [
  ...subOrganizationReplies,
  reply("CREATE_USERS", "V4", "createUsers", { userIds: silentRequired(list(string)) }),
  reply("CREATE_API_KEYS", "", "createApiKeys", { apiKeyIds: silentRequired(list(string)) }),
  reply("CREATE_API_KEYS", "V2", "createApiKeys", { apiKeyIds: silentRequired(list(string)) }),
  reply("DELETE_API_KEYS", "", "deleteApiKeys", { apiKeyIds: silentRequired(list(string)) }),
  reply("CREATE_AUTHENTICATORS", "V2", "createAuthenticators", {
    authenticatorIds: silentRequired(list(string)),
  }),
  reply("DELETE_AUTHENTICATORS", "", "deleteAuthenticators", {
    authenticatorIds: silentRequired(list(string)),
  }),
  reply("CREATE_WALLET", "", "createWallet", {
    walletId: silentRequired(string),
    addresses: silentRequired(list(string)),
  }),
  reply("CREATE_WALLET_ACCOUNTS", "", "createWalletAccounts", { addresses: silentRequired(list(string)) }),
  reply("SIGN_RAW_PAYLOAD", "", "signRawPayload", signature),
  reply("SIGN_RAW_PAYLOADS", "", "signRawPayloads", {
    signatures: silentRequired(list(record(signature))),
  }),
  reply("SIGN_TRANSACTION", "", "signTransaction", { signedTransaction: silentRequired(string) }),
  reply("SIGN_TRANSACTION", "V2", "signTransaction", { signedTransaction: silentRequired(string) }),
  reply("UPSERT_GAS_USAGE_CONFIG", "", "upsertGasUsageConfig", {
    gasUsageConfigId: silentRequired(string),
  }),
  reply("ETH_SEND_RAW_TRANSACTION", "", "ethSendRawTransaction", {
    transactionHash: silentRequired(string),
  }),
  reply("ETH_UNDELEGATE_7702", "", "ethUndelegate7702", sent),
  reply("ETH_REPLACE_TRANSACTION", "", "ethReplaceTransaction", sent),
  reply("ETH_CANCEL_TRANSACTION", "", "ethCancelTransaction", sent),
  reply("SOL_SEND_TRANSACTION", "", "solSendTransaction", sent),
  {
    ...reply("SOL_SEND_TRANSACTION", "V2", "solSendTransaction", sent),
    result: "solSendTransactionResultV2",
  },
  {
    ...reply("ETH_SEND_TRANSACTION", "V2", "ethSendTransaction", sent),
    result: "ethSendTransactionResultV2",
  },
  reply("CREATE_READ_ONLY_SESSION", "", "createReadOnlySession", {
    ...sessionOwner,
    session: silentRequired(string),
    sessionExpiry: silentRequired(string),
  }),
  reply("CREATE_READ_WRITE_SESSION", "", "createReadWriteSession", sealedSession),
  {
    ...reply("CREATE_READ_WRITE_SESSION", "V2", "createReadWriteSession", sealedSession),
    result: "createReadWriteSessionResultV2",
  },
  reply("STAMP_LOGIN", "", "stampLogin", { session: silentRequired(string) }),
  reply("OAUTH_LOGIN", "", "oauthLogin", { session: silentRequired(string) }),
  reply("UPDATE_ROOT_QUORUM", "", "updateRootQuorum", {}),
]

/** Parameters of sign_raw_payloads differ from those of sign_raw_payload in one member. */
export const signRawPayloadsParameters: Fields = {
  signWith: silentRequired(string),
  payloads: silentRequired(list(string)),
  encoding: silentRequired(oneOf(PAYLOAD_ENCODING)),
  hashFunction: silentRequired(oneOf(HASH_FUNCTION)),
}

const note: Fields = {
  offset: silentRequired(number),
  length: silentRequired(number),
  sentence: silentRequired(string),
}

const simulatedPolicy: Fields = {
  policyId: silentRequired(string),
  policyName: silentRequired(string),
  effect: silentRequired(oneOf(EFFECT)),
  outcome: silentRequired(oneOf(POLICY_OUTCOME)),
  payloadIndex: silentOptional(number),
  expressions: silentRequired(
    list(
      record({
        field: silentRequired(string),
        result: silentRequired(string),
        deciding: silentRequired(
          list(
            record({
              offset: silentRequired(number),
              length: silentRequired(number),
              text: silentRequired(string),
              result: silentRequired(string),
              sentence: beyond(string),
            }),
          ),
        ),
        fault: beyond(record(note)),
        warnings: silentRequired(list(record(note))),
      }),
    ),
  ),
  warnings: silentRequired(list(string)),
}

const bootProof: Fields = {
  ephemeralPublicKeyHex: silentRequired(string),
  awsAttestationDocB64: silentRequired(string),
  qosManifestB64: silentRequired(string),
  qosManifestEnvelopeB64: silentRequired(string),
  deploymentLabel: silentRequired(string),
  enclaveApp: silentRequired(string),
  owner: silentRequired(string),
  createdAt: silentRequired(timestamp),
  qosManifestVersion: beyond(string),
}

export const neighbourQueries: readonly QueryOperation[] = [
  {
    path: "list_app_proofs",
    body: { organizationId: silentRequired(string), activityId: silentRequired(string) },
    reply: { appProofs: silentRequired(list(record(appProof))) },
  },
  {
    // No published client knows it: an extension.
    path: "get_organization_head",
    body: { organizationId: silentRequired(string), nonce: silentRequired(string) },
    reply: { statement: silentRequired(string), signature: silentRequired(string), ...logHead },
  },
  {
    // No published client knows it: an extension.
    path: "list_decision_receipts",
    body: {
      organizationId: silentRequired(string),
      activityId: silentOptional(string),
      after: silentOptional(string),
      limit: silentOptional(string),
    },
    reply: { decisions: silentRequired(list(record(decisionReceipt))), nextAfter: silentOptional(string) },
  },
  {
    // No published client knows it: an extension.
    path: "get_log_proofs",
    body: {
      organizationId: silentRequired(string),
      leafIndexes: silentRequired(list(string)),
      treeSize: silentOptional(string),
    },
    reply: {
      ...logHead,
      treeSize: silentRequired(string),
      leaves: silentRequired(list(record(logLeafProof))),
    },
  },
  {
    // No published client knows it: an extension.
    path: "get_log_consistency",
    body: {
      organizationId: silentRequired(string),
      oldSize: silentRequired(string),
      newSize: silentOptional(string),
    },
    reply: {
      ...logHead,
      newSize: silentRequired(string),
      consistencyProof: silentRequired(list(string)),
    },
  },
  {
    // No published client knows it: an extension.
    path: "simulate_policies",
    body: {
      organizationId: silentRequired(string),
      activity: beyond(object),
      activityId: beyond(string),
      submitter: beyond(object),
      approvers: beyond(list(object)),
      time: beyond(string),
      draftPolicies: beyond(list(object)),
      onlyDrafts: beyond(boolean),
    },
    reply: {
      outcome: silentRequired(oneOf(POLICY_OUTCOME)),
      reason: silentRequired(string),
      policies: silentRequired(list(record(simulatedPolicy))),
      voterIds: silentRequired(list(string)),
      payloadIndex: silentOptional(number),
    },
  },
  {
    path: "get_send_transaction_status",
    body: { organizationId: silentRequired(string), sendTransactionStatusId: silentRequired(string) },
    reply: {
      txStatus: silentRequired(string),
      eth: silentOptional(object),
      solana: silentOptional(object),
      txError: silentOptional(string),
      error: silentOptional(object),
      // No published client knows it: an extension.
      sameNonce: silentOptional(object),
    },
  },
  {
    path: "get_gas_usage",
    body: { organizationId: silentRequired(string) },
    reply: {
      windowDurationMinutes: silentRequired(number),
      windowLimitUsd: silentRequired(string),
      usageUsd: silentRequired(string),
    },
  },
  {
    // No published client knows it: an extension.
    path: "get_deployment_state",
    body: { organizationId: silentRequired(string) },
    reply: {
      sealEpoch: silentOptional(number),
      links: silentRequired(list(record(deploymentLink))),
      queues: silentRequired(list(record(deploymentQueue))),
    },
  },
  {
    path: "get_nonces",
    body: {
      organizationId: silentRequired(string),
      address: silentRequired(string),
      caip2: silentRequired(string),
      nonce: silentOptional(boolean),
      gasStationNonce: silentOptional(boolean),
    },
    reply: { nonce: silentOptional(string), gasStationNonce: silentOptional(string) },
  },
  {
    path: "list_supported_assets",
    body: { organizationId: silentRequired(string), caip2: silentRequired(string) },
    reply: {
      assets: silentRequired(
        list(
          record({
            caip19: silentRequired(string),
            symbol: silentOptional(string),
            decimals: silentRequired(number),
          }),
        ),
      ),
    },
  },
  {
    path: "get_wallet_address_balances",
    body: {
      organizationId: silentRequired(string),
      address: silentRequired(string),
      caip2: silentRequired(string),
    },
    reply: {
      balances: silentRequired(
        list(
          record({
            caip19: silentRequired(string),
            symbol: silentOptional(string),
            balance: silentRequired(string),
            decimals: silentRequired(number),
            display: silentRequired(record({ crypto: silentRequired(string) })),
          }),
        ),
      ),
    },
  },
  {
    path: "get_send_replacement",
    body: { organizationId: silentRequired(string), sendTransactionStatusId: silentRequired(string) },
    reply: {
      txStatus: silentRequired(string),
      txHash: silentRequired(string),
      from: silentRequired(string),
      caip2: silentRequired(string),
      nonce: silentRequired(string),
      signedTransaction: silentRequired(string),
      gasLimit: silentRequired(string),
      cancelGasLimit: silentRequired(string),
      leastMaxFeePerGas: silentRequired(string),
      leastMaxPriorityFeePerGas: silentRequired(string),
      maxFeePerGas: silentRequired(string),
      maxPriorityFeePerGas: silentRequired(string),
    },
  },
  {
    path: "get_send_estimate",
    body: {
      organizationId: silentRequired(string),
      from: silentRequired(string),
      caip2: silentRequired(string),
      to: silentRequired(string),
      value: silentOptional(string),
      data: silentOptional(string),
    },
    reply: {
      gasLimit: silentRequired(string),
      maxFeePerGas: silentRequired(string),
      maxPriorityFeePerGas: silentRequired(string),
    },
  },
  {
    path: "get_boot_proof",
    body: { organizationId: silentRequired(string), ephemeralKey: silentRequired(string) },
    reply: { bootProof: silentRequired(record(bootProof)) },
  },
  {
    path: "get_latest_boot_proof",
    body: { organizationId: silentRequired(string), appName: silentRequired(string) },
    reply: { bootProof: silentRequired(record(bootProof)) },
  },
  {
    path: "whoami",
    body: { organizationId: silentRequired(string) },
    reply: {
      organizationId: silentRequired(string),
      organizationName: silentRequired(string),
      userId: silentRequired(string),
      username: silentRequired(string),
    },
  },
  {
    path: "get_activity",
    body: { organizationId: silentRequired(string), activityId: silentRequired(string) },
    reply: { activity: silentRequired(record(activity)) },
  },
  {
    path: "list_activities",
    body: {
      organizationId: silentRequired(string),
      filterByStatus: beyond(list(string)),
      filterByType: beyond(list(string)),
      paginationOptions: beyond(object),
    },
    reply: { activities: silentRequired(list(record(activity))) },
  },
  {
    path: "get_user",
    body: { organizationId: silentRequired(string), userId: silentRequired(string) },
    reply: { user: silentRequired(record(user)) },
  },
  {
    path: "list_users",
    body: {
      organizationId: silentRequired(string),
      paginationOptions: beyond(object),
      search: beyond(string),
      userIds: beyond(list(string)),
      userTagId: beyond(string),
    },
    reply: { users: silentRequired(list(record(user))), pageInfo: beyond(object) },
  },
  {
    path: "get_authenticator",
    body: { organizationId: silentRequired(string), authenticatorId: silentRequired(string) },
    reply: { authenticator: silentRequired(record(authenticator)) },
  },
  {
    path: "list_suborgs",
    body: {
      organizationId: silentRequired(string),
      filterType: beyond(string),
      filterValue: beyond(string),
      paginationOptions: beyond(object),
    },
    reply: { organizationIds: silentRequired(list(string)) },
  },
  {
    // No published client knows it: an extension.
    path: "get_suborg_summaries",
    body: { organizationId: silentRequired(string), organizationIds: silentRequired(list(string)) },
    reply: {
      suborgSummaries: silentRequired(
        list(
          record({
            organizationId: silentRequired(string),
            organizationName: silentRequired(string),
            userCount: silentRequired(number),
            userName: silentOptional(string),
            userEmail: silentOptional(string),
            userPhoneNumber: silentOptional(string),
          }),
        ),
      ),
    },
  },
  {
    path: "list_login_suborgs",
    body: {
      organizationId: silentRequired(string),
      filterType: silentRequired(oneOf(["EMAIL", "PHONE_NUMBER"])),
      filterValue: silentRequired(string),
    },
    reply: { organizationIds: silentRequired(list(string)) },
  },
  {
    path: "list_verified_suborgs",
    body: {
      organizationId: silentRequired(string),
      filterType: beyond(string),
      filterValue: beyond(string),
      paginationOptions: beyond(object),
    },
    reply: { organizationIds: silentRequired(list(string)) },
  },
  {
    path: "list_wallets",
    body: { organizationId: silentRequired(string) },
    reply: { wallets: silentRequired(list(record(wallet))) },
  },
  {
    path: "get_organization",
    body: { organizationId: silentRequired(string), omitUsers: beyond(boolean) },
    reply: {
      organizationData: silentRequired(
        record({
          organizationId: silentRequired(string),
          name: silentRequired(string),
          users: silentRequired(list(record(user))),
          policies: silentRequired(list(record(policy))),
          privateKeys: beyond(list(record(privateKey))),
          invitations: beyond(list(object)),
          tags: silentRequired(list(record(tag))),
          rootQuorum: silentRequired(record(quorum)),
          features: silentRequired(list(record(feature))),
          wallets: silentRequired(list(record(wallet))),
          smartContractInterfaceReferences: beyond(list(record(smartContractInterfaceReference))),
        }),
      ),
    },
  },
]
