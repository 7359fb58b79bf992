// Import rules of the contract and of the pure code that both tiers run.

import {
  API_TYPES,
  EDGE,
  FAULT,
  FAULT_REFUSALS,
  GRPC,
  IDENTITY,
  PROTOBUF,
  REFUSAL,
  SIGNER_TYPES,
  STATE,
  type Rules,
} from "./rule.ts"

/** What words of activities are made with. */
const WORDS = ["signer/core/words"]

/** What the parameters that policies see are declared with. */
const PARAMETERS = ["signer/core/policy/language", "signer/core/policy/parameters"]

export const coreRooms: Rules = {
  proto: { rooms: [], packages: [PROTOBUF], pure: true },
  "proto/gen": { rooms: [], packages: [PROTOBUF], pure: true },
  // Codecs of the messages that every request needs: the generated ones, and those of protobuf-es.
  "proto/codec": { rooms: ["proto/gen"], packages: [PROTOBUF], pure: true },
  "proto/grpc.ts": { rooms: ["proto/codec"], packages: [PROTOBUF, GRPC] },
  "proto/signer-service.ts": { rooms: ["proto/codec", "proto/gen", "proto/grpc.ts"] },
  "proto/grpc-client.ts": { rooms: ["proto"], packages: [PROTOBUF, GRPC] },
  "proto/message-batcher.ts": { rooms: [] },

  // signer/core: pure code that both tiers run.
  "signer/core/refusal.ts": { rooms: [SIGNER_TYPES], packages: [PROTOBUF], pure: true },
  // Broken invariants, which end the process.
  "signer/core/invariant.ts": { rooms: [], pure: true },
  "signer/core/fault.ts": { rooms: [REFUSAL], pure: true },
  "signer/core/fault-refusals.ts": { rooms: [FAULT, REFUSAL], pure: true },
  "signer/core/wire.ts": { rooms: [], pure: true },
  "signer/core/freshness.ts": { rooms: [REFUSAL], pure: true },
  "signer/core/recently-used.ts": { rooms: [], pure: true },
  "signer/core/counted.ts": { rooms: [], pure: true },
  "signer/core/terminal.ts": { rooms: [], pure: true },
  "signer/core/uuid.ts": { rooms: [], pure: true },
  // Texts that stand for bytes, in their one spelling.
  "signer/core/encodings.ts": { rooms: [], pure: true },
  "signer/core/request-id.ts": { rooms: [], pure: true },
  "signer/core/log-output.ts": { rooms: [], pure: true },
  // Schedules turns of the event loop, and measures computation and waiting by the monotonic clock.
  "signer/core/turns": { rooms: [REFUSAL] },
  // Every process reads its settings by it. Files that settings name are opened by the process.
  "signer/core/settings": { rooms: ["signer/core/closest-name.ts"], builtins: ["path"], pure: true },
  // Words of command lines.
  // Suggestions for misspelt names of settings, commands and resources.
  "signer/core/command-line.ts": {
    rooms: ["signer/core/closest-name.ts", "signer/core/settings/start-fault.ts"],
    builtins: ["util"],
    pure: true,
  },
  "signer/core/closest-name.ts": { rooms: ["proto/edit-distance.ts"], pure: true },
  // Users, folders, settings and units of a host. The host is handed in.
  "signer/core/install": {
    rooms: ["signer/core/command-line.ts", "signer/core/release/file-list.ts"],
    pure: true,
  },
  "signer/core/install/host.ts": {
    rooms: ["signer/core/install"],
    builtins: ["child_process", "fs", "path"],
  },
  // Lists of a release's files, and their comparison with those of an installation. The file system is handed in.
  "signer/core/release": { rooms: [], builtins: ["crypto"], pure: true },
  // Results of `doctor` in every program.
  "signer/core/checks.ts": { rooms: ["signer/core/settings/start-fault.ts"], pure: true },
  // Spelling of addresses and derivation paths. No key.
  "signer/core/address": {
    rooms: ["signer/core/crypto/curve.ts", "signer/core/crypto/element.ts", REFUSAL],
    packages: ["@noble/curves", "@noble/hashes", "@scure/base"],
    builtins: ["crypto"],
    pure: true,
  },
  // The text of a compact JWS that published clients decode.
  "signer/core/token-text.ts": { rooms: [], pure: true },
  // One-time codes: contacts, codes and verification tokens. Nothing is kept.
  "signer/core/otp": {
    rooms: [
      API_TYPES,
      // Contacts of users, and an organization's switches for codes.
      STATE,
      "signer/core/organization/organization.ts",
      REFUSAL,
      "proto/rules.ts",
      "proto/strict-json.ts",
      "signer/core/crypto",
      "signer/core/token-text.ts",
      "signer/core/uuid.ts",
    ],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  // Mails and text messages: wording and values in, texts out.
  "signer/core/messages": { rooms: ["proto/strict-json.ts", REFUSAL], pure: true },
  // Secret bytes and key sets that are handed in; nothing here keeps one.
  "signer/core/crypto": {
    // Words of public keys.
    rooms: ["signer/core/fingerprint-words.ts"],
    builtins: ["crypto"],
    pure: true,
  },
  // Merkle trees, signed notes and checkpoints of the log. Keys are handed in.
  "signer/core/log": { rooms: ["signer/core/encodings.ts"], builtins: ["crypto"], pure: true },
  // Records of the audit stream: their chain, and the proof that a log bound it. Files and time are handed in.
  "signer/core/audit": {
    rooms: [STATE, "proto/strict-json.ts", FAULT, "signer/core/log"],
    pure: true,
  },
  // Bundles of the log, verified from pins alone.
  "signer/core/log/verify": {
    rooms: [
      FAULT,
      "signer/core/encodings.ts",
      API_TYPES,
      STATE,
      SIGNER_TYPES,
      "proto/strict-json.ts",
      "signer/core/crypto",
      "signer/core/log",
      "signer/core/proof/verify",
      "signer/core/wire.ts",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  // The point behind 32 bytes, which OpenSSL does not look at.
  "signer/core/crypto/ed25519.ts": { rooms: [], packages: ["@noble/curves"], pure: true },
  // Words of commands that are printed.
  "signer/core/command-text.ts": { rooms: ["signer/core/uuid.ts"], pure: true },
  // The list of BIP-39's words.
  "signer/core/fingerprint-words.ts": { rooms: [], packages: ["@scure/bip39"], pure: true },
  // Lines by which processes get certificates for mutual TLS, and the files of these. The file system is handed in.
  "signer/core/join": {
    rooms: [STATE, "signer/core/crypto", "signer/core/encodings.ts", "signer/core/settings"],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  // Backups as bytes: parts, their encryption, the signed manifest. Keys, bytes and chance are handed in.
  "signer/core/backup": {
    rooms: [
      STATE,
      "signer/core/crypto",
      "signer/core/log",
      "signer/core/settings/start-fault.ts",
      "signer/core/wire.ts",
    ],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  // Files of backups, which commands of every zone read and write.
  "signer/core/backup-files": {
    rooms: [
      STATE,
      "signer/core/backup",
      "signer/core/command-line.ts",
      "signer/core/log/checkpoint.ts",
      "signer/core/sealed-seed/format.ts",
      "signer/core/settings/start-fault.ts",
    ],
    packages: [PROTOBUF],
    builtins: ["crypto", "fs", "fs/promises", "os", "path"],
  },
  // Parts of all processes of a host. The programs are run by the edge.
  "signer/core/backup-host": {
    rooms: [
      "signer/core/backup",
      "signer/core/backup-files",
      "signer/core/command-line.ts",
      "signer/core/settings/start-fault.ts",
    ],
    // Runs the program of each process as its user.
    builtins: ["child_process", "fs", "fs/promises", "path"],
  },
  // Seeds at rest: sealed, with shares for holders. Bytes, secrets and random bytes are handed in.
  "signer/core/sealed-seed": {
    rooms: [STATE, REFUSAL, "signer/core/crypto", "signer/core/log", "signer/core/uuid.ts"],
    // The package takes random bytes of its own: docs/adr/0023-shamir-secret-sharing.md.
    packages: [PROTOBUF, "@scure/bip39", "shamir-secret-sharing"],
    builtins: ["crypto"],
    pure: true,
  },
  // Commands about a sealed seed, in each process that has one: terminal, daily command and file are their edge.
  "signer/core/seal-commands": {
    rooms: [
      STATE,
      REFUSAL,
      "signer/core/command-line.ts",
      "signer/core/crypto/secret.ts",
      "signer/core/sealed-seed",
      "signer/core/settings",
      "signer/core/terminal.ts",
    ],
    ...EDGE,
  },
  // Acts that holders approve: their texts, and what holders sign. Time and random bytes are handed in.
  "signer/core/holder-acts": {
    rooms: [
      FAULT,
      SIGNER_TYPES,
      REFUSAL,
      "signer/core/crypto",
      "signer/core/log",
      "signer/core/sealed-seed",
      "signer/core/webauthn",
    ],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/core/webauthn": {
    rooms: [
      "signer/core/encodings.ts",
      FAULT,
      API_TYPES,
      "proto/strict-json.ts",
      "signer/core/auth-proxy/origins.ts",
      "signer/core/crypto/ed25519.ts",
      "signer/core/recently-used.ts",
    ],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/core/stamp": {
    rooms: [
      "signer/core/encodings.ts",
      FAULT,
      FAULT_REFUSALS,
      API_TYPES,
      "proto/strict-json.ts",
      REFUSAL,
      "signer/core/crypto/ed25519.ts",
      "signer/core/oidc",
      // A token that proves a contact attests a key, as an ID token does.
      "signer/core/otp/user-contact.ts",
      "signer/core/otp/verification-token.ts",
      "signer/core/recently-used.ts",
      // Large bodies are hashed in steps.
      "signer/core/turns/steps.ts",
      "signer/core/webauthn",
      "signer/core/wire.ts",
    ],
    packages: ["@noble/curves", "@noble/hashes"],
    builtins: ["crypto"],
    pure: true,
  },
  // Texts of read-only sessions: written by the signer, read by the API tier.
  "signer/core/session": {
    rooms: ["proto/strict-json.ts", REFUSAL, "signer/core/token-text.ts", "signer/core/uuid.ts"],
    builtins: ["crypto"],
    pure: true,
  },
  // ID tokens and the keys of their issuers: read and checked, never fetched.
  "signer/core/oidc/identity.ts": { rooms: [], builtins: ["crypto"], pure: true },
  "signer/core/oidc": { rooms: ["proto/strict-json.ts", REFUSAL], builtins: ["crypto"], pure: true },
  // Applications whose tokens an organization accepts, by its features.
  "signer/core/oidc/applications.ts": {
    rooms: [
      API_TYPES,
      STATE,
      "proto/strict-json.ts",
      REFUSAL,
      "signer/core/oidc",
      "signer/core/organization/organization.ts",
    ],
    pure: true,
  },
  // ID tokens that the service signs itself.
  "signer/core/oidc/issued-token.ts": {
    rooms: [API_TYPES, "signer/core/oidc", "signer/core/token-text.ts"],
    builtins: ["crypto"],
    pure: true,
  },
  // The one reading of a stamped body: bytes in, typed parameters and ignored members out.
  "signer/core/request": {
    rooms: [
      "proto/catalog.ts",
      "proto/read-plan.ts",
      "proto/read-value.ts",
      "proto/read.ts",
      "proto/strict-json.ts",
      "proto/unknown-members.ts",
      REFUSAL,
      "signer/core/uuid.ts",
      "signer/core/wire.ts",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  // Payloads to sign: EIP-712 typed data and EIP-7702 authorizations.
  "signer/core/payload": {
    rooms: [
      FAULT,
      "proto/strict-json.ts",
      "signer/core/address",
      "signer/core/crypto/element.ts",
      "signer/core/transaction/ethereum/authorization.ts",
    ],
    packages: ["@noble/hashes"],
    pure: true,
  },
  // Sends: stamped parameters, settings and values of a chain in, transactions out. Keys are functions that sign a digest.
  "signer/core/send": {
    rooms: [
      FAULT,
      FAULT_REFUSALS,
      API_TYPES,
      "proto/catalog.ts",
      "signer/core/address",
      // Calls of a batch that waits.
      "signer/core/contract-interface/abi-type.ts",
      "signer/core/contract-interface/decode-call.ts",
      // The shape in which policies see a send.
      "signer/core/policy/facts/send.ts",
      "signer/core/transaction",
      REFUSAL,
    ],
    packages: ["@noble/curves", "@noble/hashes", "@scure/base"],
    pure: true,
  },
  // Unsigned transactions: bytes in, fields out; fields and a signature in, bytes out. No key.
  "signer/core/transaction": {
    rooms: [
      FAULT,
      "signer/core/address",
      "signer/core/crypto/curve.ts",
      "signer/core/crypto/element.ts",
      // Signatures in DER.
      "signer/core/stamp/der.ts",
      // Large transactions are hashed in steps.
      "signer/core/turns/steps.ts",
      REFUSAL,
    ],
    packages: ["@noble/hashes", "@scure/base"],
    builtins: ["crypto"],
    pure: true,
  },
  // ABIs and IDLs, by which calls of contracts are read.
  "signer/core/contract-interface": {
    rooms: [
      FAULT,
      FAULT_REFUSALS,
      "proto/strict-json.ts",
      "signer/core/address",
      "signer/core/crypto/element.ts",
      REFUSAL,
    ],
    packages: ["@noble/hashes", "@scure/base"],
    builtins: ["crypto"],
    pure: true,
  },
  // An organization's document at one version, read only.
  "signer/core/organization": {
    // Proven contacts are credentials.
    rooms: [STATE, API_TYPES, IDENTITY, "signer/core/otp/user-contact.ts", "signer/core/webauthn"],
    packages: [PROTOBUF],
    pure: true,
  },
  // Numbers alone: the API tier enforces allowlists by the same reading.
  "signer/core/organization/ip-block.ts": { rooms: [], pure: true },
  "signer/core/organization/public-address.ts": {
    rooms: ["signer/core/organization/ip-block.ts"],
    pure: true,
  },
  // Webhooks: which URLs they have, and the bytes that are signed. Signer, API tier and worker agree by it.
  "signer/core/webhook": {
    rooms: ["signer/core/organization/public-address.ts"],
    builtins: ["crypto"],
    pure: true,
  },
  // Expressions: text in, a checked tree out, a tree and values in, true, false or a fault out.
  "signer/core/policy/language": { rooms: [FAULT], pure: true },
  // The names in expressions, with their types.
  "signer/core/policy/namespaces": {
    rooms: [
      "signer/core/modules/namespaces.ts",
      "signer/core/modules/parameters.ts",
      "signer/core/policy/language",
    ],
    pure: true,
  },
  // The parameters of activities that policies may read.
  "signer/core/policy/parameters": { rooms: ["signer/core/policy/language"], pure: true },
  "signer/core/policy/expression.ts": {
    rooms: ["signer/core/policy/language", "signer/core/policy/namespaces"],
    pure: true,
  },
  // Requests in words: a reading of a stamped body in, sentences and facts for approvers out. No names of its own.
  "signer/core/words": {
    rooms: [
      API_TYPES,
      "proto/read-plan.ts",
      "proto/strict-json.ts",
      "signer/core/address/chain.ts",
      "signer/core/contract-interface",
      "signer/core/encodings.ts",
      "signer/core/modules/words.ts",
      "signer/core/policy/facts/declared.ts",
      "signer/core/request",
      "signer/core/terminal.ts",
    ],
    packages: [PROTOBUF, "@noble/hashes"],
    pure: true,
  },
  // Modules: the pure half of one feature each, which signer, services and browser share: words for approvers, and what policies read
  // of its requests. None imports another one, and the rest of the signer reaches them through the indexes alone.
  "signer/core/modules/controls.ts": { rooms: ["signer/core/modules"], pure: true },
  "signer/core/modules/facts.ts": {
    rooms: ["signer/core/modules", "signer/core/policy/facts/item.ts"],
    pure: true,
  },
  "signer/core/modules/namespaces.ts": { rooms: ["signer/core/modules"], pure: true },
  "signer/core/modules/parameters.ts": {
    rooms: ["signer/core/modules", "signer/core/policy/parameters"],
    pure: true,
  },
  "signer/core/modules/words.ts": { rooms: ["signer/core/modules"], pure: true },
  "signer/core/modules/auth-proxy": { rooms: WORDS, pure: true },
  "signer/core/modules/login": { rooms: [...WORDS, ...PARAMETERS], pure: true },
  "signer/core/modules/on-ramp": { rooms: WORDS, pure: true },
  "signer/core/modules/organization": { rooms: WORDS, pure: true },
  // Policies, and velocity controls: their terms, the transfers they count, windows. Facts in, numbers out.
  "signer/core/modules/policies": {
    rooms: [
      ...WORDS,
      API_TYPES,
      STATE,
      "proto/catalog.ts",
      REFUSAL,
      "signer/core/address",
      "signer/core/contract-interface",
      "signer/core/once.ts",
      "signer/core/organization",
      "signer/core/policy",
      "signer/core/transaction",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  // Signatures, transactions, sends, interfaces of contracts.
  "signer/core/modules/transactions": {
    rooms: [
      FAULT,
      FAULT_REFUSALS,
      ...WORDS,
      API_TYPES,
      // Transactions of Cosmos chains are JSON.
      "proto/strict-json.ts",
      REFUSAL,
      "signer/core/address",
      "signer/core/contract-interface",
      "signer/core/crypto/element.ts",
      "signer/core/payload",
      "signer/core/policy",
      "signer/core/send",
      "signer/core/terminal.ts",
      "signer/core/transaction",
    ],
    packages: ["@scure/base"],
    builtins: ["crypto"],
    pure: true,
  },
  // Activities of the contract that this release does not serve.
  "signer/core/modules/unserved": { rooms: PARAMETERS, pure: true },
  "signer/core/modules/users": { rooms: [...WORDS, ...PARAMETERS], pure: true },
  "signer/core/modules/wallets": {
    rooms: [
      ...WORDS,
      API_TYPES,
      STATE,
      "proto/catalog.ts",
      "signer/core/address/path.ts",
      "signer/core/policy",
    ],
    pure: true,
  },
  "signer/core/modules/webhooks": {
    rooms: [
      "proto/strict-json.ts",
      ...WORDS,
      ...PARAMETERS,
      REFUSAL,
      "signer/core/address/chain.ts",
      "signer/core/address/ethereum.ts",
      "signer/core/address/solana.ts",
    ],
    pure: true,
  },
  // Velocity controls as decisions see them.
  "signer/core/policy/controls.ts": { rooms: [API_TYPES], pure: true },
  "signer/core/once.ts": { rooms: [], pure: true },
  // Divides steps among policies.
  // Outcomes of policies in few bytes, for messages and stored votes.
  "signer/core/policy/outcome-list.ts": { rooms: ["proto"], builtins: ["crypto"], pure: true },
  "signer/core/policy/fair-shares.ts": {
    rooms: ["signer/core/policy/language", "signer/core/turns/steps.ts"],
    pure: true,
  },
  "signer/core/policy/scope.ts": { rooms: ["signer/core/policy"], pure: true },
  // The values of a request that expressions read.
  "signer/core/policy/facts": {
    rooms: [
      API_TYPES,
      STATE,
      "proto/catalog.ts",
      "signer/core/contract-interface/interfaces.ts",
      "signer/core/modules/facts.ts",
      "signer/core/modules/parameters.ts",
      "signer/core/once.ts",
      "signer/core/policy/decision/decision-input.ts",
      "signer/core/policy/expression.ts",
      "signer/core/policy/fair-shares.ts",
      // The form of values alone: words of requests take facts apart without the language.
      "signer/core/policy/language/value.ts",
      "signer/core/policy/parameters",
      "signer/core/transaction",
      "signer/core/turns/steps.ts",
    ],
    pure: true,
  },
  "signer/core/policy/decision": {
    rooms: [
      FAULT,
      API_TYPES,
      STATE,
      "proto/catalog.ts",
      IDENTITY,
      "signer/core/organization",
      // One-time codes to proven contacts are factors.
      "signer/core/otp/user-contact.ts",
      "signer/core/policy",
      "signer/core/recently-used.ts",
      // Policies are compiled in steps; the caller measures their time.
      "signer/core/turns/steps.ts",
      "signer/core/uuid.ts",
      "signer/core/modules/controls.ts",
    ],
    pure: true,
  },
  "signer/core/proof": {
    rooms: ["signer/core/crypto"],
    builtins: ["crypto"],
    pure: true,
  },
  // The verifier of app proofs.
  "signer/core/proof/verify": {
    rooms: [
      "signer/core/encodings.ts",
      API_TYPES,
      STATE,
      "proto/catalog.ts",
      "proto/strict-json.ts",
      "proto/write.ts",
      "signer/core/crypto",
      "signer/core/proof",
      REFUSAL,
      "signer/core/request",
      "signer/core/stamp",
      "signer/core/uuid.ts",
    ],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  // Orders to the fetcher and its statements, as both ends write and read them.
  "signer/core/fetch-orders": {
    rooms: [SIGNER_TYPES, REFUSAL, "signer/core/crypto", "signer/core/uuid.ts"],
    packages: [PROTOBUF, "@scure/base"],
    builtins: ["buffer", "crypto"],
    pure: true,
  },

  // Purchases at on-ramp providers: what is sold, addresses to open, statuses. No key, no network.
  "signer/core/on-ramp": {
    rooms: [API_TYPES, SIGNER_TYPES, REFUSAL, "signer/core/address"],
    packages: [PROTOBUF, "@scure/base"],
    builtins: ["crypto"],
    pure: true,
  },

  // The auth proxy's configuration: settings, origins, the sealed key, the statement that the proxy verifies.
  "signer/core/auth-proxy": {
    rooms: [
      "signer/core/organization/organization.ts",
      API_TYPES,
      STATE,
      "proto/catalog.ts",
      // Addresses by which identities are linked.
      "proto/rules.ts",
      "signer/core/oidc/token.ts",
      "signer/core/crypto",
      "signer/core/messages",
    ],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
}
