const ROW = "a row of the ledger: its MAC is verified before"
const OPERATOR = "words or files of the operator who runs the process"
const ID = "readUuid alone, which texts has"
const RESULT = "the string is no input: the name of a field or of a file"

/** Readers without a fuzzer of their own, with the reason. A fuzzer in brackets calls them on its way. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  "proto/grpc.ts openBidiStream": RESULT,
  "signer/core/address/bitcoin.ts readWitnessProgram": "the scripts of a PSBT (psbt)",
  "signer/core/auth-proxy/statement.ts readAuthProxyStatement":
    "the notarizer's signature is verified before",
  "signer/core/backup-files/head.ts readHead": RESULT,
  "signer/core/backup-files/part-options.ts readPartWords": OPERATOR,
  "signer/core/backup-host/part-folders.ts readOnly": RESULT,
  "signer/core/command-line.ts parseWords": OPERATOR,
  "signer/core/crypto/p256.ts readP256Signature": "what OpenSSL in the same process has written",
  "signer/core/install/host.ts readText": RESULT,
  "signer/core/join/join.ts readAcceptable": "readAnswer (join-line), and files of the host",
  "signer/core/log/verify/heads.ts openHead": "openCheckpoint (log), of a key that pins certify",
  "signer/core/modules/policies/velocity/control.ts readTerms": "members of a body (request-body)",
  "signer/core/modules/transactions/words/content.ts readContent": RESULT,
  "signer/core/on-ramp/status.ts readOnRampStatus": "one of three words",
  "signer/core/proof/verify/request.ts readRequest": "the judge of request-body",
  "signer/core/request/read-body.ts readBodyText": "readBody of a text; the judge of request-body calls it",
  "signer/core/sealed-seed/passphrase.ts readPassphrase": "every text is a passphrase",
  "signer/core/send/facts.ts readEthereumSendOf": "members of a body (request-body)",
  "signer/core/send/gas-usage.ts readUsd":
    "a number that the operator's settings or a body's rules have checked",
  "signer/core/stamp/header-json.ts readMember":
    "a member of the object that readStampJson has read (stamps)",
  "signer/enclave/activities/verified-contact.ts readVerificationToken":
    "verification-token, with the organization's terms",
  "signer/enclave/execution/state/identity-tally.ts readTally": ROW,
  "signer/enclave/execution/state/ledger-keys.ts readAddressTarget": ROW,
  "signer/enclave/execution/state/ledger-keys.ts readAddressTargets": ROW,
  "signer/enclave/execution/state/ledger-keys.ts readWalletAccount": ROW,
  "signer/enclave/execution/state/request.ts readPendingBody":
    "readBody (request-body) of a body that the ledger's row names",
  "signer/enclave/execution/state/velocity-counters.ts readBucket": ROW,
  "signer/enclave/execution/steps/finished.ts readFinished": ROW,
  "signer/enclave/execution/steps/log-decision.ts readRecovered": ROW,
  "signer/enclave/execution/voting/pending-activities.ts readEnding": ROW,
  "signer/enclave/execution/workspace/cache-names.ts readKeyId": ID,
  "signer/enclave/ledger/overflow.ts readCursor": "a cursor that the ledger gave; any text is one",
  "signer/enclave/ledger/sqlite/connection.ts openConnection": RESULT,
  "signer/enclave/ledger/sqlite/connection.ts openSecondConnection": RESULT,
  "signer/enclave/ledger/sqlite/statements.ts readUint64": ROW,
  "signer/enclave/ledger/store.ts readKind": ROW,
  "signer/enclave/log/log-files.ts readEra": RESULT,
  "signer/enclave/log/log-files.ts readOptional": RESULT,
  "signer/enclave/modules/login/identity-login.ts readTokenOfKey": "readIdToken (id-token), and a comparison",
  "signer/enclave/modules/login/oauth2-credentials.ts openCredential": RESULT,
  "signer/enclave/modules/transactions/payloads.ts readPayloadFor":
    "typed-data, user-operation, and members of a body",
  "signer/enclave/modules/wallets/import-export.ts openImport": "openBundle (bundle)",
  "signer/enclave/organization/credentials.ts openSession": RESULT,
  "signer/enclave/provision/log-key.ts openLogKey": "a branch of the root seed",
  "signer/enclave/records/record.ts readRecordState": ROW,
  "signer/enclave/rpc/audit.ts readAudit": "a call without members",
  "signer/enclave/rpc/metrics.ts readMetrics": "a call without members",
  "signer/enclave/rpc/read-fields.ts readId": ID,
  "signer/enclave/rpc/read-fields.ts readNonce": "the length alone is read",
  "signer/enclave/rpc/read-fields.ts readOptionalId": ID,
  "signer/enclave/rpc/unlock.ts readSeal": "a call without members",
}
