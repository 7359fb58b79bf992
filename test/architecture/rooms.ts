// The import rules, room by room. A room is a folder or a file; the longest path that fits a file is its room.
// A new folder of signer/ or services/ needs a rule here before it can be used, and a permission that no file uses
// has to go. This file only declares.

export type Rule = {
  /** Rooms it may import from besides itself. */
  rooms: readonly string[]
  /** Packages by name; a subpath must be named whole where only that one is meant. */
  packages?: readonly string[]
  /** Node's own modules, without prefix; "any" where the room stands at the edge of the process. */
  builtins?: readonly string[] | "any"
  /** No clock, environment, network, timers, chance or log: only its arguments. */
  pure?: true
}

const PROTOBUF = "@bufbuild/protobuf"
const GRPC = "@grpc/grpc-js"
const STATE = "proto/gen/countersign/state"
const API_TYPES = "proto/gen/countersign/api"
const SIGNER_TYPES = "proto/gen/countersign/signer"
const REFUSAL = "signer/core/refusal.ts"
/** Names of OIDC identities, as credentials are looked up by them. */
const IDENTITY = "signer/core/oidc/identity.ts"

const EXECUTION = "signer/enclave/execution"
const EXECUTION_ROOMS = ["state", "workspace", "steps", "voting"].map((room) => `${EXECUTION}/${room}`)

/** Rooms of the enclave that state and workspace of execution stand on. */
const ENCLAVE = ["keys", "ledger", "organization", "records"].map((room) => `signer/enclave/${room}`)

/** For rooms at the edge of a process. */
const EDGE = { builtins: "any" } as const

export const rules: { readonly [room: string]: Rule } = {
  proto: { rooms: [], packages: [PROTOBUF], pure: true },
  "proto/gen": { rooms: [], packages: [PROTOBUF], pure: true },
  "proto/grpc.ts": { rooms: [], packages: [PROTOBUF, GRPC] },
  "proto/grpc-client.ts": { rooms: ["proto"], packages: [PROTOBUF, GRPC] },
  "proto/message-batcher.ts": { rooms: [] },

  // signer/core: pure code that both tiers run.
  "signer/core/refusal.ts": { rooms: [SIGNER_TYPES], packages: [PROTOBUF], pure: true },
  "signer/core/wire.ts": { rooms: [], pure: true },
  "signer/core/liveness.ts": { rooms: [REFUSAL], pure: true },
  "signer/core/recently-used.ts": { rooms: [], pure: true },
  "signer/core/terminal.ts": { rooms: [], pure: true },
  "signer/core/uuid.ts": { rooms: [], pure: true },
  "signer/core/request-id.ts": { rooms: [], pure: true },
  "signer/core/log-output.ts": { rooms: [], pure: true },
  // Schedules turns of the event loop, and measures computation and waiting by the monotonic clock.
  "signer/core/turns": { rooms: [REFUSAL] },
  // Every process reads its settings by it. Files that settings name are opened by the process.
  "signer/core/settings": { rooms: [], builtins: ["path"], pure: true },
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
  "signer/core/crypto": { rooms: [], builtins: ["crypto"], pure: true },
  "signer/core/webauthn": {
    rooms: [API_TYPES, "proto/strict-json.ts", "signer/core/recently-used.ts"],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/core/stamp": {
    rooms: [
      API_TYPES,
      "proto/strict-json.ts",
      REFUSAL,
      "signer/core/oidc",
      "signer/core/recently-used.ts",
      "signer/core/webauthn",
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
  // Payloads to sign: EIP-712 typed data and EIP-7702 authorizations.
  "signer/core/payload": {
    rooms: [
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
      "signer/core/address",
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
      "signer/core/address",
      "signer/core/crypto/curve.ts",
      "signer/core/crypto/element.ts",
      // Signatures in DER.
      "signer/core/stamp/der.ts",
      REFUSAL,
    ],
    packages: ["@noble/hashes", "@scure/base"],
    builtins: ["crypto"],
    pure: true,
  },
  // ABIs and IDLs, by which calls of contracts are read.
  "signer/core/contract-interface": {
    rooms: ["proto/strict-json.ts", "signer/core/address", "signer/core/crypto/element.ts", REFUSAL],
    packages: ["@noble/hashes", "@scure/base"],
    builtins: ["crypto"],
    pure: true,
  },
  // An organization's document at one version, read only.
  "signer/core/organization": {
    rooms: [STATE, API_TYPES, IDENTITY, "signer/core/webauthn"],
    packages: [PROTOBUF],
    pure: true,
  },
  // Numbers alone: the API tier enforces allowlists by the same reading.
  "signer/core/organization/ip-block.ts": { rooms: [], pure: true },
  "signer/core/organization/public-address.ts": {
    rooms: ["signer/core/organization/ip-block.ts"],
    pure: true,
  },
  // Expressions: text in, a checked tree out, a tree and values in, true, false or a fault out.
  "signer/core/policy/language": { rooms: [], pure: true },
  // The names in expressions, with their types.
  "signer/core/policy/namespaces": {
    rooms: ["signer/core/policy/language", "signer/core/policy/parameters"],
    pure: true,
  },
  // The parameters of activities that policies may read.
  "signer/core/policy/parameters": { rooms: [API_TYPES, "signer/core/policy/language"], pure: true },
  "signer/core/policy/expression.ts": {
    rooms: ["signer/core/policy/language", "signer/core/policy/namespaces"],
    pure: true,
  },
  "signer/core/policy/scope.ts": { rooms: ["signer/core/policy"], pure: true },
  // The values of a request that expressions read.
  "signer/core/policy/facts": {
    rooms: [
      API_TYPES,
      STATE,
      "proto/catalog.ts",
      "signer/core/address",
      "signer/core/contract-interface",
      "signer/core/crypto/element.ts",
      "signer/core/payload",
      "signer/core/policy/decision/decision-input.ts",
      "signer/core/policy/expression.ts",
      "signer/core/policy/parameters",
      "signer/core/transaction",
      REFUSAL,
    ],
    pure: true,
  },
  // Velocity controls: their terms, the transfers they count, windows. Facts in, numbers out.
  "signer/core/velocity": {
    rooms: [
      API_TYPES,
      STATE,
      "proto/catalog.ts",
      REFUSAL,
      "signer/core/address",
      "signer/core/contract-interface",
      "signer/core/organization",
      "signer/core/policy/expression.ts",
      "signer/core/policy/facts",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  "signer/core/policy/decision": {
    rooms: [
      API_TYPES,
      STATE,
      "proto/catalog.ts",
      IDENTITY,
      "signer/core/organization",
      "signer/core/policy",
      "signer/core/recently-used.ts",
      // Policies are compiled in steps; the caller measures their time.
      "signer/core/turns/steps.ts",
      "signer/core/uuid.ts",
      "signer/core/velocity",
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
      API_TYPES,
      STATE,
      "proto/catalog.ts",
      "proto/read.ts",
      "proto/strict-json.ts",
      "proto/write.ts",
      "signer/core/crypto",
      "signer/core/proof",
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
    rooms: [API_TYPES, STATE, "proto/catalog.ts", "signer/core/crypto", "signer/core/messages"],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },

  // signer/process: what each process of the signer's zone starts with: sockets, log, seed file.
  "signer/process": {
    rooms: [SIGNER_TYPES, "proto/grpc.ts", "signer/core"],
    packages: [GRPC],
    ...EDGE,
  },

  // signer/enclave: the isolated process.
  "signer/enclave/keys": {
    rooms: [
      API_TYPES,
      "signer/core/address",
      "signer/core/auth-proxy",
      "signer/core/crypto",
      "signer/core/payload",
      REFUSAL,
    ],
    packages: [
      "@noble/ciphers",
      "@noble/curves",
      "@noble/hashes",
      "@scure/base",
      "@scure/bip39",
      // libsecp256k1, as a prebuilt binary or as WebAssembly. The package's root would fall back silently to a
      // slow implementation, so only the binding is allowed.
      "secp256k1/bindings.js",
      "tiny-secp256k1",
    ],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/enclave/records": {
    rooms: [STATE, "signer/core/crypto", REFUSAL, "signer/enclave/keys"],
    packages: [PROTOBUF],
    pure: true,
  },
  "signer/enclave/organization": {
    rooms: [
      STATE,
      API_TYPES,
      "signer/core/auth-proxy",
      // Settings are kept only if messages can be made with them.
      "signer/core/messages/terms.ts",
      "signer/core/organization",
      // Sealed keys of on-ramp providers, as orders to the fetcher carry them.
      SIGNER_TYPES,
      "signer/core/fetch-orders/sealed-key-text.ts",
      // An MFA policy is kept only if its user can meet it.
      "signer/core/policy/decision/mfa.ts",
      // The velocity controls that conditions read.
      "signer/core/policy/decision/policy-set.ts",
      IDENTITY,
      REFUSAL,
      "signer/core/webauthn",
      "signer/core/wire.ts",
    ],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  // Bundles: what users seal to the signer and the signer to users.
  "signer/enclave/bundles": {
    rooms: ["proto/strict-json.ts", "signer/core/crypto", REFUSAL, "signer/enclave/keys"],
    packages: ["@scure/base"],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/enclave/proof": {
    rooms: ["signer/core/proof", "signer/core/token-text.ts"],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/enclave/activities": {
    rooms: [API_TYPES, STATE, SIGNER_TYPES, "signer/core", "signer/enclave"],
    packages: [PROTOBUF],
    pure: true,
  },
  // The procedure between a call and an activity, one way only: state < workspace < steps < voting < entrances.
  "signer/enclave/execution/state": {
    rooms: [
      "proto",
      "signer/core",
      "signer/enclave/activities",
      ...ENCLAVE,
      "signer/enclave/provision",
      "signer/enclave/ids.ts",
    ],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/enclave/execution/workspace": {
    rooms: ["proto", "signer/core", "signer/enclave/activities", ...ENCLAVE, `${EXECUTION}/state`],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/enclave/execution/steps": {
    rooms: [
      "proto",
      "signer/core",
      "signer/enclave/ledger",
      "signer/enclave/organization",
      "signer/enclave/provision",
      `${EXECUTION}/state`,
      `${EXECUTION}/workspace`,
    ],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/enclave/execution/voting": {
    rooms: ["proto", "signer/core", "signer/enclave/ledger", `${EXECUTION}/state`, `${EXECUTION}/steps`],
    packages: [PROTOBUF],
    pure: true,
  },
  "signer/enclave/execution/vote.ts": { rooms: ["proto", "signer/core", ...EXECUTION_ROOMS], pure: true },
  "signer/enclave/execution/submission.ts": {
    rooms: ["proto", "signer/core", ...EXECUTION_ROOMS],
    pure: true,
  },
  "signer/enclave/execution/bootstrap.ts": {
    rooms: [
      "proto",
      "signer/core",
      "signer/enclave/organization",
      "signer/enclave/provision",
      ...EXECUTION_ROOMS,
    ],
    pure: true,
  },
  "signer/enclave/execution/execute.ts": {
    rooms: [
      "proto",
      "signer/core",
      ...EXECUTION_ROOMS,
      ...["submission", "vote", "bootstrap"].map((entrance) => `${EXECUTION}/${entrance}.ts`),
    ],
    pure: true,
  },
  "signer/enclave/rpc": {
    rooms: ["proto", "signer/core", "signer/enclave", "signer/process"],
    packages: [PROTOBUF],
    pure: true,
  },
  "signer/enclave/ledger": {
    rooms: [
      REFUSAL,
      "signer/core/settings/start-fault.ts",
      "signer/core/recently-used.ts",
      "signer/core/turns",
    ],
    builtins: ["crypto", "events", "fs", "path", "sqlite", "worker_threads"],
  },
  // Reads the root seed and makes the keyring of it.
  "signer/enclave/provision": {
    rooms: [STATE, "signer/core", "signer/enclave"],
    packages: [PROTOBUF],
    builtins: ["crypto", "fs", "path"],
  },
  "signer/enclave/phase.ts": { rooms: [SIGNER_TYPES, REFUSAL], packages: [PROTOBUF], pure: true },
  "signer/enclave/ids.ts": { rooms: [], pure: true },
  "signer/enclave/config.ts": {
    rooms: [
      "signer/enclave/organization/limits.ts",
      "signer/enclave/send-settings.ts",
      "signer/core/send/settings.ts",
      "signer/core/settings",
      "signer/process/settings.ts",
    ],
    builtins: ["path"],
  },
  "signer/enclave/send-settings.ts": {
    rooms: ["signer/core/address", "signer/core/send", "signer/core/settings"],
    pure: true,
  },
  "signer/enclave/check-settings.ts": {
    rooms: ["signer/core/settings", "signer/enclave/config.ts", "signer/process/refuse-debugger.ts"],
  },
  "signer/enclave/boot.ts": {
    rooms: ["signer/core", "signer/enclave", "signer/process"],
    builtins: ["crypto"],
  },
  // Creates root seed and ledger, where an operator says so.
  "signer/enclave/create-deployment.ts": {
    rooms: [STATE, "signer/core/settings", "signer/enclave", "signer/process"],
    builtins: ["fs"],
  },
  "signer/enclave/main.ts": { rooms: ["proto", "signer"], ...EDGE },

  // A process of its own: the only trusted one with a way out.
  "signer/fetcher": {
    rooms: ["proto", "signer/core", "signer/process"],
    packages: [PROTOBUF],
    ...EDGE,
  },
  // The ways out for messages.
  "signer/fetcher/delivery": {
    rooms: ["signer/core", "signer/process", "signer/fetcher/http-request.ts", "signer/fetcher/network.ts"],
    packages: ["nodemailer"],
    ...EDGE,
  },
  "signer/operator": {
    rooms: [
      "proto",
      "signer/core/settings",
      "signer/enclave/config.ts",
      "signer/enclave/create-deployment.ts",
      "signer/enclave/main.ts",
      "signer/process/refuse-debugger.ts",
      "signer/process/terminal.ts",
    ],
    packages: [PROTOBUF, GRPC],
    ...EDGE,
  },

  // services: untrusted code. Of the signer it may import the core and nothing else.
  "services/common": {
    rooms: ["proto/edit-distance.ts", "signer/core"],
    packages: ["koa", "pino"],
    ...EDGE,
  },
  // Figures for operators. Label values come from the contract.
  "services/common/metrics": {
    rooms: ["proto", "services/common", "signer/core/settings"],
    packages: ["prom-client"],
    ...EDGE,
  },
  // The interface as OpenAPI documents, for both hosts.
  "services/common/openapi": { rooms: ["proto"], packages: [PROTOBUF], pure: true },
  // Advice about policies: nothing is decided by it.
  "services/policy-advice": {
    rooms: ["proto", "signer/core"],
    pure: true,
  },
  // Nodes of chains: which ones, and how they are asked. No SQL, no key.
  "services/chains": { rooms: ["signer/core/settings"], packages: ["@scure/base"] },
  // The connection to PostgreSQL and the queues in it.
  "services/database": {
    rooms: ["services/common", "signer/core/settings"],
    packages: ["pg-boss", "postgres"],
    builtins: ["path"],
  },
  // Broadcasts signed transactions. No road to the signer: neither gRPC nor the API's rooms.
  "services/worker": {
    rooms: [
      "services/chains",
      "services/common",
      "services/database",
      "signer/core/settings",
      // Reads the block hash of signed bytes.
      "signer/core/transaction/solana",
    ],
    builtins: ["http", "timers/promises"],
  },
  // All SQL of the worker.
  "services/worker/store": { rooms: ["services/database"] },
  // services/api: http > submit, queries > resources > authentication > signer > store > errors and request bodies.
  "services/api": {
    rooms: ["services/chains", "services/common", "services/database", "signer/core"],
    ...EDGE,
  },
  "services/api/metrics": {
    rooms: [
      SIGNER_TYPES,
      "services/common",
      "services/api/authentication/organization-cache.ts",
      "services/api/http/admission.ts",
      "services/api/queries/shared/query-slots.ts",
      "services/api/signer/grpc-client.ts",
      "services/api/store/activities.ts",
      "signer/core/settings",
    ],
  },
  "services/api/http": {
    rooms: [
      "proto",
      "services/common",
      "signer/core",
      "services/api/submit",
      "services/api/queries",
      "services/api/resources",
      "services/api/authentication",
      "services/api/signer",
      "services/api/store/stored-organization.ts",
      "services/api/errors.ts",
    ],
    packages: [PROTOBUF, "@koa/router", "koa"],
    builtins: ["fs", "http"],
  },
  "services/api/submit": {
    rooms: [
      "proto",
      "services/common",
      "services/policy-advice",
      "signer/core",
      "services/api/resources",
      "services/api/authentication",
      "services/api/signer",
      "services/api/sending",
      "services/api/store",
      "services/chains",
      "services/database",
      "services/api/errors.ts",
      "services/api/request-body.ts",
    ],
    builtins: ["crypto"],
  },
  "services/api/queries": {
    rooms: [
      "proto",
      "services/common",
      "services/policy-advice",
      "signer/core",
      "services/api/resources",
      "services/api/authentication",
      "services/api/signer/boot-proofs.ts",
      "services/api/signer/notarizer-key.ts",
      "services/api/signer/signer.ts",
      "services/api/sending",
      "services/api/store",
      "services/database",
      "services/api/errors.ts",
      "services/api/request-body.ts",
    ],
    packages: [PROTOBUF, "@scure/base"],
    builtins: ["http"],
  },
  // What callers left open in their sends, from the nodes of the chain. No SQL.
  "services/api/sending": {
    rooms: [
      SIGNER_TYPES,
      "services/chains",
      "services/common",
      "services/database",
      "services/api/resources/reverts.ts",
      "services/api/signer/ledger-sync.ts",
      "services/api/store",
      "services/api/errors.ts",
      // Sends as the signer reads them, for advice.
      "signer/core/send",
    ],
    packages: [PROTOBUF],
  },
  // One file for each aggregate: the only place that shapes what callers see of it.
  "services/api/resources": {
    rooms: [
      "proto",
      "signer/core/contract-interface",
      "signer/core/liveness.ts",
      "services/api/authentication",
      "services/api/store",
      "services/database",
      "services/api/errors.ts",
    ],
    packages: [PROTOBUF, "@noble/hashes"],
    builtins: ["http"],
  },
  // Organizations and sessions in this process, and the owners of stamps.
  "services/api/authentication": {
    rooms: [
      "proto",
      "signer/core",
      "services/api/signer/ledger-sync.ts",
      "services/api/store",
      "services/database",
    ],
    builtins: ["crypto", "http"],
  },
  // The only caller of the signer and of the fetcher.
  "services/api/signer": {
    rooms: [
      "proto",
      "services/common",
      "services/database",
      "signer/core",
      "services/api/store",
      "services/api/errors.ts",
    ],
    packages: [PROTOBUF, GRPC],
    ...EDGE,
  },
  // All SQL of the service.
  "services/api/store": {
    rooms: ["proto", "services/database", "signer/core"],
    packages: [PROTOBUF],
    builtins: ["crypto", "fs", "path"],
  },
  "services/api/errors.ts": {
    rooms: ["proto", "services/common", "services/database/faults.ts", REFUSAL],
    pure: true,
  },
  "services/api/request-body.ts": {
    rooms: [
      "proto",
      "services/common",
      "services/api/errors.ts",
      "signer/core/uuid.ts",
      "signer/core/wire.ts",
    ],
    pure: true,
  },
  "services/auth-proxy": {
    rooms: [
      "proto",
      "services/common",
      "signer/core/auth-proxy",
      "signer/core/crypto",
      "signer/core/recently-used.ts",
      "signer/core/settings",
      "signer/core/uuid.ts",
    ],
    packages: ["@koa/router", "koa"],
    ...EDGE,
  },
  "services/cli": {
    rooms: ["proto", "services/chains", "services/common", "services/policy-advice", "signer/core"],
    packages: [PROTOBUF, "commander", "zod"],
    ...EDGE,
  },
}

/** Files that decide at run time what they load, each with its reason. */
export const computedImports: { readonly [file: string]: string } = {
  "services/api/http/pages.ts": "loads the OpenAPI document when it is first asked for",
}
