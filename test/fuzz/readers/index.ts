// Readers of bytes from outside, each with its fuzzer. test/architecture/fuzzed-readers.test.ts holds the list complete.
import type { Judge, Reader } from "../engine/reader.ts"

export type Entry = {
  /** Files, and folders with a slash, whose blocks guide the search. */
  readonly guides: readonly string[]
  /** Exported readers that it calls, by their files. */
  readonly reads: Readonly<Record<string, readonly string[]>>
  readonly load: () => Promise<Reader>
  /** A judge with libraries of its own. V8's counts take longer with each file that is loaded, so a search does without it. */
  readonly judge?: () => Promise<Judge>
}

const CORE = "signer/core"
const TRANSACTION = `${CORE}/transaction`
const ETHEREUM = `${TRANSACTION}/ethereum`
const INTERFACE = `${CORE}/contract-interface`
const BITCOIN = `${TRANSACTION}/bitcoin`

/** Loaded when it is explored, after coverage has begun. A reader of any value is one of unknown values. */
function reader(load: () => Promise<unknown>): () => Promise<Reader> {
  return load as () => Promise<Reader>
}

function judge(load: () => Promise<unknown>): () => Promise<Judge> {
  return load as () => Promise<Judge>
}

export const READERS = {
  "strict-json": {
    guides: ["proto/strict-json.ts", "proto/json-scan.ts"],
    reads: { "proto/strict-json.ts": ["parseStrictJson", "parseStrictJsonBytes"] },
    load: reader(async () => (await import("./strict-json.ts")).strictJson),
  },
  orders: {
    guides: ["proto/codec/"],
    reads: {},
    load: reader(async () => (await import("./orders.ts")).orders),
  },
  cbor: {
    guides: [`${CORE}/webauthn/cbor.ts`],
    reads: { [`${CORE}/webauthn/cbor.ts`]: ["readCbor", "readCborItem"] },
    load: reader(async () => (await import("./cbor.ts")).cbor),
  },
  "der-signature": {
    guides: [`${CORE}/stamp/der.ts`],
    reads: { [`${CORE}/stamp/der.ts`]: ["readDerSignature"] },
    load: reader(async () => (await import("./der-signature.ts")).derSignature),
  },
  "ethereum-transaction": {
    guides: [`${ETHEREUM}/`],
    reads: {
      [`${ETHEREUM}/rlp.ts`]: ["readRlp"],
      [`${ETHEREUM}/transaction.ts`]: ["readEthereumTransaction"],
    },
    load: reader(async () => (await import("./ethereum-transaction.ts")).ethereumTransaction),
    judge: judge(async () => (await import("../judges/ethereum-transaction.ts")).judge),
  },
  "solana-transaction": {
    guides: [`${TRANSACTION}/solana/`],
    reads: { [`${TRANSACTION}/solana/transaction.ts`]: ["readSolanaTransaction"] },
    load: reader(async () => (await import("./solana-transaction.ts")).solanaTransaction),
    judge: judge(async () => (await import("../judges/solana-transaction.ts")).judge),
  },
  psbt: {
    guides: [`${BITCOIN}/`],
    reads: {
      [`${BITCOIN}/psbt.ts`]: ["readPsbt"],
      [`${BITCOIN}/psbt-map.ts`]: ["readMap"],
      [`${BITCOIN}/raw-transaction.ts`]: ["readUnsignedTransaction", "readPreviousTransaction"],
      [`${BITCOIN}/transaction.ts`]: ["readBitcoinTransaction"],
      [`${BITCOIN}/sign.ts`]: ["readBitcoinSigning"],
      [`${BITCOIN}/message.ts`]: ["readSignedMessage"],
      [`${BITCOIN}/timelock.ts`]: ["readLocks"],
    },
    load: reader(async () => (await import("./psbt.ts")).psbt),
    judge: judge(async () => (await import("../judges/psbt.ts")).judge),
  },
  "tron-transaction": {
    guides: [`${TRANSACTION}/tron/`],
    reads: {
      [`${TRANSACTION}/tron/wire.ts`]: ["readMessage"],
      [`${TRANSACTION}/tron/transaction.ts`]: ["readTronTransaction"],
    },
    load: reader(async () => (await import("./tron-transaction.ts")).tronTransaction),
    judge: judge(async () => (await import("../judges/tron-transaction.ts")).judge),
  },
  "typed-data": {
    guides: [`${CORE}/payload/typed-data/`, `${CORE}/payload/json.ts`],
    reads: {
      [`${CORE}/payload/json.ts`]: ["readPayloadJson", "readInteger"],
      [`${CORE}/payload/typed-data/read.ts`]: ["readTypedData"],
      [`${CORE}/payload/typed-data/types.ts`]: ["readTypes"],
      [`${CORE}/payload/typed-data/value.ts`]: ["readElementary"],
    },
    load: reader(async () => (await import("./typed-data.ts")).typedData),
    judge: judge(async () => (await import("../judges/typed-data.ts")).judge),
  },
  addresses: {
    guides: [`${CORE}/address/`],
    reads: {},
    load: reader(async () => (await import("./addresses.ts")).addresses),
    judge: judge(async () => (await import("../judges/addresses.ts")).judge),
  },
  abi: {
    guides: [`${INTERFACE}/abi.ts`, `${INTERFACE}/abi-type.ts`, `${INTERFACE}/fault.ts`],
    reads: {
      [`${INTERFACE}/abi.ts`]: ["readAbi"],
      [`${INTERFACE}/abi-type.ts`]: ["readParameters"],
      [`${INTERFACE}/fault.ts`]: ["readJson"],
    },
    load: reader(async () => (await import("./abi.ts")).abi),
    judge: judge(async () => (await import("../judges/abi.ts")).judge),
  },
  "abi-call": {
    guides: [`${INTERFACE}/decode-call.ts`],
    reads: { [`${INTERFACE}/decode-call.ts`]: ["decodeCall"] },
    load: reader(async () => (await import("./abi-call.ts")).abiCall),
    judge: judge(async () => (await import("../judges/abi-call.ts")).judge),
  },
  idl: {
    guides: [
      `${INTERFACE}/idl.ts`,
      `${INTERFACE}/idl-type.ts`,
      `${INTERFACE}/idl-accounts.ts`,
      `${INTERFACE}/idl-layout.ts`,
    ],
    reads: {
      [`${INTERFACE}/idl.ts`]: ["readIdl"],
      [`${INTERFACE}/idl-type.ts`]: ["readFields", "readDefinition"],
      [`${INTERFACE}/idl-accounts.ts`]: ["readAccounts"],
    },
    load: reader(async () => (await import("./idl.ts")).idl),
  },
  instruction: {
    guides: [`${INTERFACE}/decode-instruction.ts`],
    reads: { [`${INTERFACE}/decode-instruction.ts`]: ["decodeInstruction"] },
    load: reader(async () => (await import("./idl.ts")).instruction),
    judge: judge(async () => (await import("../judges/instruction.ts")).judge),
  },
  "user-operation": {
    guides: [`${CORE}/payload/user-operation/`, `${CORE}/payload/authorization.ts`],
    reads: {
      [`${CORE}/payload/user-operation/user-operation.ts`]: ["readUserOperation"],
      [`${CORE}/payload/authorization.ts`]: ["readAuthorization"],
    },
    load: reader(async () => (await import("./user-operation.ts")).userOperation),
    judge: judge(async () => (await import("../judges/user-operation.ts")).judge),
  },
  attestation: {
    guides: [`${CORE}/webauthn/`],
    reads: {
      [`${CORE}/webauthn/attestation.ts`]: ["readAttestationObject"],
      [`${CORE}/webauthn/authenticator-data.ts`]: ["readAuthenticatorData"],
      [`${CORE}/webauthn/cose-key.ts`]: ["readCoseKey"],
    },
    load: reader(async () => (await import("./attestation.ts")).attestation),
  },
  stamps: {
    guides: [
      `${CORE}/stamp/read-stamp.ts`,
      `${CORE}/stamp/attested.ts`,
      `${CORE}/stamp/header-json.ts`,
      `${CORE}/encodings.ts`,
    ],
    reads: {
      [`${CORE}/stamp/read-stamp.ts`]: ["readStamp", "readPasskeyStamp"],
      [`${CORE}/stamp/attested.ts`]: ["readAttestedStamp"],
      [`${CORE}/stamp/header-json.ts`]: ["readStampJson", "readHex"],
    },
    load: reader(async () => (await import("./stamps.ts")).stamps),
  },
  "id-token": {
    guides: [`${CORE}/oidc/jws.ts`, `${CORE}/oidc/token.ts`, `${CORE}/oidc/issuer.ts`],
    reads: {
      [`${CORE}/oidc/jws.ts`]: ["readJws", "readMembers"],
      [`${CORE}/oidc/token.ts`]: ["readIdToken"],
    },
    load: reader(async () => (await import("./tokens.ts")).idToken),
  },
  "verification-token": {
    guides: [`${CORE}/otp/verification-token.ts`],
    reads: { [`${CORE}/otp/verification-token.ts`]: ["readVerificationToken"] },
    load: reader(async () => (await import("./tokens.ts")).verificationToken),
  },
  "read-only-session": {
    guides: [`${CORE}/session/read-only-session.ts`],
    reads: {},
    load: reader(async () => (await import("./tokens.ts")).readOnlySession),
  },
  bundle: {
    guides: ["signer/enclave/bundles/", `${CORE}/crypto/hpke.ts`],
    reads: {
      "signer/enclave/bundles/sealed-bundle.ts": ["openBundle", "readBundle"],
      "signer/enclave/bundles/message.ts": ["openMessage"],
      [`${CORE}/crypto/hpke.ts`]: ["openHpke"],
    },
    load: reader(async () => (await import("./sealed.ts")).bundle),
  },
  envelope: {
    guides: [`${CORE}/crypto/envelope.ts`, `${CORE}/crypto/aes-gcm.ts`],
    reads: {
      [`${CORE}/crypto/envelope.ts`]: ["openEnvelope"],
      [`${CORE}/crypto/aes-gcm.ts`]: ["openAesGcm"],
    },
    load: reader(async () => (await import("./sealed.ts")).envelope),
  },
  record: {
    guides: ["signer/enclave/records/", "signer/enclave/keys/seal.ts"],
    reads: { "signer/enclave/records/record.ts": ["openRecord"] },
    load: reader(async () => (await import("./sealed.ts")).record),
  },
  "sealed-seed": {
    guides: [`${CORE}/sealed-seed/format.ts`, `${CORE}/sealed-seed/open.ts`],
    reads: {
      [`${CORE}/sealed-seed/format.ts`]: ["readSealedSeed"],
    },
    load: reader(async () => (await import("./sealed.ts")).sealedSeed),
  },
  "share-words": {
    guides: [`${CORE}/sealed-seed/share-words.ts`, `${CORE}/sealed-seed/share.ts`],
    reads: {
      [`${CORE}/sealed-seed/share-words.ts`]: ["readShareWords"],
      [`${CORE}/sealed-seed/share.ts`]: ["readShare"],
    },
    load: reader(async () => (await import("./sealed.ts")).shareWords),
  },
  log: {
    guides: [`${CORE}/log/`],
    reads: {
      [`${CORE}/log/tiles.ts`]: ["readTilePath", "readEntries"],
      [`${CORE}/log/checkpoint.ts`]: ["readCheckpoint", "openCheckpoint"],
      [`${CORE}/log/note.ts`]: ["readNote", "readSignatureLines"],
      [`${CORE}/log/note-key.ts`]: ["readNoteKey", "readNoteKeys"],
      [`${CORE}/log/leaf.ts`]: ["readLeaf", "readDecision"],
      [`${CORE}/log/receipt.ts`]: ["readLogReceipt"],
      [`${CORE}/log/add-checkpoint.ts`]: ["readAddCheckpoint"],
    },
    load: reader(async () => (await import("./log.ts")).logFormats),
  },
  "join-line": {
    guides: [
      `${CORE}/join/line.ts`,
      `${CORE}/join/request.ts`,
      `${CORE}/join/answer.ts`,
      `${CORE}/join/names.ts`,
    ],
    reads: {
      [`${CORE}/join/line.ts`]: ["readLine"],
      [`${CORE}/join/request.ts`]: ["readRequest"],
      [`${CORE}/join/answer.ts`]: ["readAnswer"],
    },
    load: reader(async () => (await import("./join-lines.ts")).joinLines),
  },
  "revocation-list": {
    guides: [`${CORE}/crypto/revocations.ts`],
    reads: { [`${CORE}/crypto/revocations.ts`]: ["readRevocationList", "readRevocationLists"] },
    load: reader(async () => (await import("./certificates.ts")).revocationList),
    judge: judge(async () => (await import("../judges/revocation-list.ts")).judge),
  },
  texts: {
    guides: [
      `${CORE}/address/path.ts`,
      `${CORE}/organization/ip-block.ts`,
      `${CORE}/uuid.ts`,
      `${CORE}/settings/settings.ts`,
      `${CORE}/encodings.ts`,
    ],
    reads: {
      [`${CORE}/address/path.ts`]: ["parsePath"],
      [`${CORE}/organization/ip-block.ts`]: ["readIpAddress", "readIpBlock"],
      [`${CORE}/uuid.ts`]: ["readUuid"],
      [`${CORE}/settings/settings.ts`]: ["readHostAndPort"],
      [`${CORE}/encodings.ts`]: ["readBase64", "readBase64url", "readHex"],
    },
    load: reader(async () => (await import("./texts.ts")).texts),
  },
  policies: {
    guides: [`${CORE}/policy/language/`],
    reads: {
      [`${CORE}/policy/language/lexer.ts`]: ["readToken"],
      [`${CORE}/policy/language/time-functions.ts`]: ["readTimestamp"],
      [`${CORE}/policy/language/cron.ts`]: ["readCronSpan", "readZone"],
    },
    load: reader(async () => (await import("./policies.ts")).policies),
  },
  "request-body": {
    guides: [
      `${CORE}/request/`,
      `${CORE}/proof/verify/request.ts`,
      "proto/read.ts",
      "proto/read-value.ts",
      "proto/read-plan.ts",
      "proto/unknown-members.ts",
    ],
    reads: {
      [`${CORE}/request/read-body.ts`]: ["readBody", "readEnvelope"],
      "proto/read.ts": ["readMessage"],
    },
    load: reader(async () => (await import("./request-body.ts")).requestBody),
  },
  "raw-transaction": {
    guides: [
      `${CORE}/send/raw-transaction.ts`,
      `${CORE}/send/own-batch.ts`,
      `${ETHEREUM}/`,
      `${TRANSACTION}/unsigned.ts`,
    ],
    reads: {
      [`${CORE}/send/raw-transaction.ts`]: ["readRawTransaction"],
      [`${CORE}/send/own-batch.ts`]: ["readOwnBatch"],
      [`${ETHEREUM}/signed.ts`]: ["readSignedEthereumTransaction"],
    },
    load: reader(async () => (await import("./raw-transaction.ts")).rawTransaction),
    judge: judge(async () => (await import("../judges/raw-transaction.ts")).judge),
  },
  "solana-message": {
    guides: [`${TRANSACTION}/solana/`],
    reads: { [`${TRANSACTION}/solana/transaction.ts`]: ["readSolanaMessage"] },
    load: reader(async () => (await import("./solana-message.ts")).solanaMessage),
    judge: judge(async () => (await import("../judges/solana-message.ts")).judge),
  },
  "token-batches": {
    guides: [
      `${TRANSACTION}/solana/programs.ts`,
      `${CORE}/modules/transactions/facts/solana-transfers.ts`,
      `${CORE}/modules/policies/velocity/solana-transfers.ts`,
    ],
    reads: {},
    load: reader(async () => (await import("./token-batches.ts")).tokenBatches),
  },
  "json-texts": {
    guides: [
      `${CORE}/webauthn/client-data.ts`,
      `${CORE}/audit/`,
      `${CORE}/messages/wording.ts`,
      `${CORE}/modules/webhooks/balance-filter.ts`,
      `${CORE}/oidc/`,
      `${CORE}/proof/verify/`,
      "proto/strict-json.ts",
    ],
    reads: {
      [`${CORE}/webauthn/client-data.ts`]: ["readClientData", "readOrigins"],
      [`${CORE}/audit/export.ts`]: ["readExportHeader"],
      [`${CORE}/audit/note.ts`]: ["readNote"],
      [`${CORE}/audit/record.ts`]: ["readRecord"],
      [`${CORE}/messages/wording.ts`]: ["readTemplateVariables"],
      [`${CORE}/modules/webhooks/balance-filter.ts`]: ["readBalanceFilter", "readNewBalanceFilter"],
      [`${CORE}/oidc/applications.ts`]: ["readApplications"],
      [`${CORE}/oidc/key-set.ts`]: ["readKeySet", "readKeysUrl"],
      [`${CORE}/proof/verify/json.ts`]: ["readObject"],
      [`${CORE}/proof/verify/payload.ts`]: ["readPayload"],
      "proto/strict-json.ts": ["readJsonObject"],
    },
    load: reader(async () => (await import("./json-texts.ts")).jsonTexts),
  },
  "sealed-keys": {
    guides: [
      `${CORE}/auth-proxy/sealed-key.ts`,
      `${CORE}/fetch-orders/`,
      "signer/enclave/organization/notarize.ts",
      `${CORE}/organization/organization.ts`,
      "signer/enclave/provision/setup-code.ts",
    ],
    reads: {
      [`${CORE}/auth-proxy/sealed-key.ts`]: ["openProxyKey"],
      [`${CORE}/fetch-orders/bound-secret.ts`]: ["readBoundSecret"],
      [`${CORE}/fetch-orders/mailed-bundle.ts`]: ["openMailedBundle"],
      [`${CORE}/fetch-orders/on-ramp-key.ts`]: ["openSealedKey"],
      [`${CORE}/fetch-orders/sealed-key-text.ts`]: ["decodeSealedKey"],
      "signer/enclave/organization/notarize.ts": ["openDocument"],
      [`${CORE}/organization/organization.ts`]: ["readOrganization"],
      "signer/enclave/provision/setup-code.ts": ["openSetupCode"],
    },
    load: reader(async () => (await import("./sealed-keys.ts")).sealedKeys),
  },
  lines: {
    guides: [
      `${CORE}/holder-acts/act-text.ts`,
      `${CORE}/release/file-list.ts`,
      `${CORE}/backup/keys.ts`,
      `${CORE}/backup/part.ts`,
      `${CORE}/fetch-orders/pairing.ts`,
      `${CORE}/crypto/keyset.ts`,
      `${CORE}/modules/policies/velocity/assets.ts`,
      `${TRANSACTION}/unsigned.ts`,
      "signer/enclave/bundles/message.ts",
    ],
    reads: {
      [`${CORE}/holder-acts/act-text.ts`]: ["readActText"],
      [`${CORE}/release/file-list.ts`]: ["readFileList"],
      [`${CORE}/backup/keys.ts`]: ["readHolderKeys", "readHolderPrivateKey"],
      [`${CORE}/backup/part.ts`]: ["readPartHeader"],
      [`${CORE}/fetch-orders/pairing.ts`]: ["readFetcherKeys"],
      [`${CORE}/crypto/keyset.ts`]: ["readPublicKeySet"],
      [`${CORE}/modules/policies/velocity/assets.ts`]: ["readAsset"],
      [`${TRANSACTION}/unsigned.ts`]: ["readUnsigned"],
      "signer/enclave/bundles/message.ts": ["readTargetKey"],
    },
    load: reader(async () => (await import("./lines.ts")).lines),
  },
  "wallet-text": {
    guides: [
      "signer/enclave/keys/wallet-text.ts",
      "signer/enclave/keys/mnemonic.ts",
      "signer/enclave/keys/private-key.ts",
    ],
    reads: {
      "signer/enclave/keys/wallet-text.ts": ["readWalletText"],
      "signer/enclave/keys/private-key.ts": ["readPrivateKey"],
    },
    load: reader(async () => (await import("./wallet-text.ts")).walletText),
  },
} as const satisfies Record<string, Entry>

/** @throws {RangeError} */
export function entryOf(name: string): Entry {
  const entry = (READERS as Readonly<Record<string, Entry>>)[name]
  if (entry === undefined) throw new RangeError(`there is no reader ${name}`)
  return entry
}

/** The reader with its judge. */
export async function judgedReader(entry: Entry): Promise<Reader> {
  return { ...(await entry.load()), ...(await entry.judge?.()) }
}
