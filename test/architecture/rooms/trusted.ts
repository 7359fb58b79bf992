// Import rules of the trusted processes: the enclave, the fetcher, the operator's command.

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

const EXECUTION = "signer/enclave/execution"
const EXECUTION_ROOMS = ["state", "workspace", "steps", "voting"].map((room) => `${EXECUTION}/${room}`)

/** Rooms of the enclave that state and workspace of execution stand on. */
const ENCLAVE = ["keys", "ledger", "log", "organization", "records"].map((room) => `signer/enclave/${room}`)

/** Modules that bring powers, and those that answer calls. */
const POWERS = ["auth-proxy", "login", "on-ramp", "transactions", "users", "wallets"]
const CALLS = ["auth-proxy", "login", "on-ramp", "transactions", "webhooks"]

export const trustedRooms: Rules = {
  // signer/process: what each process of the signer's zone starts with: sockets, log, seed file.
  "signer/process": {
    rooms: [SIGNER_TYPES, STATE, "proto/grpc.ts", "proto/grpc-client.ts", "signer/core"],
    packages: [PROTOBUF, GRPC],
    ...EDGE,
  },

  // signer/enclave: the isolated process.
  "signer/enclave/keys": {
    rooms: [
      FAULT,
      FAULT_REFUSALS,
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
      // The applications of issuers that a feature lists.
      "signer/core/oidc/applications.ts",
      // The tolerance for clocks of issuers without a setting.
      "signer/core/oidc/issuer.ts",
      // Changes of contacts unprove them.
      "signer/core/otp/user-contact.ts",
      // An invitation is to an address that no user has, by the rule of logins.
      "signer/core/otp/same-contact.ts",
      // Contacts are compared as tokens that verify them are.
      "signer/core/otp/verification-token.ts",
      // The velocity controls that conditions read.
      "signer/core/policy/decision/policy-set.ts",
      IDENTITY,
      REFUSAL,
      "signer/core/webauthn",
      // Endpoints are kept only with URLs that notifications are sent to.
      "signer/core/webhook",
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
  // The contract of an activity, its powers, and code that activities of several modules share.
  // Activities get every power from the workspace: neither ledger, keyring nor root seed is in their reach.
  "signer/enclave/activities": {
    rooms: [
      FAULT,
      FAULT_REFUSALS,
      API_TYPES,
      REFUSAL,
      SIGNER_TYPES,
      STATE,
      "signer/core/address",
      "signer/core/auth-proxy",
      "signer/core/crypto",
      "signer/core/fetch-orders",
      "signer/core/messages",
      "signer/core/oidc",
      "signer/core/on-ramp",
      "signer/core/otp",
      "signer/core/policy",
      "signer/core/send",
      "signer/core/session",
      "signer/core/stamp",
      "signer/core/turns",
      "signer/core/uuid.ts",
      "signer/core/webauthn",
      "signer/enclave/bundles",
      "signer/enclave/keys",
      "signer/enclave/organization",
      "signer/enclave/proof",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  // Modules: one feature each. None imports another one, and the rest of the signer reaches them through the index alone.
  "signer/enclave/modules/index.ts": {
    rooms: ["signer/enclave/activities", "signer/enclave/modules"],
    pure: true,
  },
  "signer/enclave/modules/powers.ts": {
    rooms: [
      `${EXECUTION}/state/fact-kind.ts`,
      `${EXECUTION}/workspace/facts-request.ts`,
      ...POWERS.map((module) => `signer/enclave/modules/${module}/powers/powers.ts`),
    ],
    pure: true,
  },
  "signer/enclave/modules/keys.ts": {
    rooms: ["transactions", "webhooks"].map((module) => `signer/enclave/modules/${module}/keys/keys.ts`),
    pure: true,
  },
  "signer/enclave/modules/settings.ts": {
    rooms: ["signer/enclave/modules/transactions/settings/settings.ts"],
    pure: true,
  },
  // Keys of a feature, each from its own branch of the root seed.
  "signer/enclave/modules/transactions/keys": {
    rooms: ["signer/core/address", "signer/core/crypto", "signer/enclave/keys"],
    pure: true,
  },
  "signer/enclave/modules/webhooks/keys": {
    rooms: ["signer/core/crypto", "signer/core/webhook", "signer/enclave/keys"],
    pure: true,
  },
  // Settings of a feature, as the operator writes them.
  "signer/enclave/modules/transactions/settings": {
    rooms: ["signer/core/address", "signer/core/send", "signer/core/settings"],
    pure: true,
  },
  "signer/enclave/modules/calls.ts": {
    rooms: CALLS.map((module) => `signer/enclave/modules/${module}/calls/calls.ts`),
    pure: true,
  },
  // Powers: what a module does with the kernel's state for its activities, and what it shows policies. Activities reach neither.
  "signer/enclave/modules/auth-proxy/powers": {
    rooms: [`${EXECUTION}/workspace/makers.ts`, "signer/enclave/keys/auth-proxy-key.ts"],
    pure: true,
  },
  "signer/enclave/modules/login/powers": {
    rooms: [
      "proto",
      REFUSAL,
      "signer/core/contract-interface/interfaces.ts",
      "signer/core/crypto",
      "signer/core/fetch-orders",
      "signer/core/messages",
      "signer/core/organization",
      "signer/core/otp",
      "signer/core/policy",
      "signer/enclave/activities",
      "signer/enclave/keys",
      "signer/enclave/organization",
      `${EXECUTION}/state`,
      `${EXECUTION}/workspace`,
    ],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/enclave/modules/on-ramp/powers": {
    rooms: [
      SIGNER_TYPES,
      "signer/core/fetch-orders",
      "signer/core/on-ramp",
      "signer/enclave/activities",
      `${EXECUTION}/state/fact-kind.ts`,
      `${EXECUTION}/workspace`,
    ],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/enclave/modules/transactions/powers": {
    rooms: [
      FAULT_REFUSALS,
      "proto",
      REFUSAL,
      "signer/core/contract-interface",
      "signer/core/once.ts",
      "signer/core/organization",
      "signer/core/recently-used.ts",
      "signer/core/send",
      "signer/enclave/activities",
      "signer/enclave/ledger",
      `${EXECUTION}/state`,
      `${EXECUTION}/workspace`,
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  "signer/enclave/modules/users/powers": {
    rooms: ["signer/enclave/activities", `${EXECUTION}/state/fact-kind.ts`, `${EXECUTION}/workspace`],
    pure: true,
  },
  "signer/enclave/modules/wallets/powers": {
    rooms: [
      "proto",
      REFUSAL,
      "signer/core/address",
      "signer/core/crypto",
      "signer/core/modules/wallets",
      "signer/core/organization",
      "signer/core/policy",
      "signer/core/turns",
      "signer/enclave/activities",
      "signer/enclave/bundles",
      "signer/enclave/keys",
      "signer/enclave/ledger",
      "signer/enclave/records",
      `${EXECUTION}/state`,
      `${EXECUTION}/workspace`,
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  // Calls of the API tier that belong to one feature.
  "signer/enclave/modules/auth-proxy/calls": {
    rooms: ["proto", REFUSAL, "signer/core/auth-proxy", `${EXECUTION}/state`, "signer/enclave/rpc"],
    pure: true,
  },
  "signer/enclave/modules/login/calls": {
    rooms: [
      SIGNER_TYPES,
      REFUSAL,
      "signer/core/wire.ts",
      `${EXECUTION}/state`,
      `${EXECUTION}/steps`,
      "signer/enclave/rpc",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  "signer/enclave/modules/on-ramp/calls": {
    rooms: [
      "proto",
      REFUSAL,
      "signer/core/fetch-orders",
      `${EXECUTION}/state`,
      "signer/enclave/modules/on-ramp/on-ramp-credentials.ts",
      "signer/enclave/records",
      "signer/enclave/rpc",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  "signer/enclave/modules/transactions/calls": {
    rooms: [
      SIGNER_TYPES,
      "signer/core/organization",
      `${EXECUTION}/state`,
      "signer/enclave/modules/transactions/powers",
      "signer/enclave/rpc",
    ],
    pure: true,
  },
  "signer/enclave/modules/webhooks/calls": {
    rooms: [
      "proto",
      REFUSAL,
      "signer/core/turns",
      "signer/core/uuid.ts",
      "signer/core/webhook",
      `${EXECUTION}/state`,
      "signer/enclave/rpc",
    ],
    pure: true,
  },
  // Switching the auth proxy on and off, and its settings.
  "signer/enclave/modules/auth-proxy": {
    rooms: ["signer/core/otp", "signer/enclave/activities", "signer/enclave/organization"],
    pure: true,
  },
  // Logins and their sessions: stamps, codes, mails, identities; session profiles and MFA policies.
  "signer/enclave/modules/login": {
    rooms: [
      API_TYPES,
      REFUSAL,
      SIGNER_TYPES,
      STATE,
      "signer/core/auth-proxy",
      "signer/core/crypto",
      "signer/core/fetch-orders",
      "signer/core/messages",
      "signer/core/oidc",
      "signer/core/organization",
      "signer/core/otp",
      "signer/core/policy",
      "signer/core/stamp",
      "signer/enclave/activities",
      "signer/enclave/bundles",
      "signer/enclave/keys",
      "signer/enclave/organization",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  // Credentials at on-ramp providers, and purchases. No key is in reach.
  "signer/enclave/modules/on-ramp": {
    rooms: [
      API_TYPES,
      REFUSAL,
      SIGNER_TYPES,
      STATE,
      "signer/core/fetch-orders",
      "signer/core/on-ramp",
      "signer/enclave/activities",
      "signer/enclave/organization",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  // The organization itself: sub-organizations, root quorum, features, IP allowlists.
  "signer/enclave/modules/organization": {
    rooms: [
      API_TYPES,
      REFUSAL,
      STATE,
      "signer/core/organization",
      "signer/core/otp",
      "signer/core/stamp",
      "signer/enclave/activities",
      "signer/enclave/organization",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  // Policies and velocity controls.
  "signer/enclave/modules/policies": {
    rooms: [
      API_TYPES,
      "signer/core/turns",
      "signer/core/modules/policies",
      "signer/enclave/activities",
      "signer/enclave/organization",
    ],
    pure: true,
  },
  // Signatures by keys: payloads, transactions, sends. Contract interfaces and gas usage.
  "signer/enclave/modules/transactions": {
    rooms: [
      FAULT,
      FAULT_REFUSALS,
      API_TYPES,
      REFUSAL,
      STATE,
      "signer/core/address",
      "signer/core/contract-interface",
      "signer/core/crypto",
      "signer/core/payload",
      "signer/core/send",
      "signer/core/transaction",
      "signer/core/turns",
      "signer/enclave/activities",
      "signer/enclave/keys",
      "signer/enclave/organization",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  // Users, their credentials, tags and invitations.
  "signer/enclave/modules/users": {
    rooms: [API_TYPES, REFUSAL, SIGNER_TYPES, "signer/enclave/activities", "signer/enclave/organization"],
    packages: [PROTOBUF],
    pure: true,
  },
  // Wallets, private keys and secrets: creation, import, export, deletion.
  "signer/enclave/modules/wallets": {
    rooms: [
      API_TYPES,
      REFUSAL,
      STATE,
      "signer/core/address",
      "signer/core/crypto",
      "signer/core/turns",
      "signer/enclave/activities",
      "signer/enclave/bundles",
      "signer/enclave/keys",
      "signer/enclave/organization",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  // Webhook endpoints. No key is in reach.
  "signer/enclave/modules/webhooks": {
    rooms: [
      API_TYPES,
      REFUSAL,
      STATE,
      "signer/core/modules/webhooks/balance-filter.ts",
      "signer/core/uuid.ts",
      "signer/core/webhook",
      "signer/enclave/activities",
      "signer/enclave/organization",
    ],
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
    rooms: [
      "proto",
      "signer/core",
      "signer/enclave/activities",
      "signer/enclave/modules/index.ts",
      "signer/enclave/modules/powers.ts",
      ...["ledger", "organization", "records"].map((room) => `signer/enclave/${room}`),
      `${EXECUTION}/state`,
    ],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/enclave/execution/steps": {
    rooms: [
      "proto",
      "signer/core",
      "signer/enclave/ledger",
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
  "signer/enclave/execution/erase-organization.ts": {
    rooms: [
      "proto",
      "signer/core",
      "signer/enclave/ledger",
      "signer/enclave/organization",
      `${EXECUTION}/state`,
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  "signer/enclave/execution/execute.ts": {
    rooms: [
      "proto",
      "signer/core",
      ...EXECUTION_ROOMS,
      ...["submission", "vote", "bootstrap", "erase-organization"].map(
        (entrance) => `${EXECUTION}/${entrance}.ts`,
      ),
    ],
    pure: true,
  },
  "signer/enclave/rpc": {
    rooms: ["proto", "signer/core", "signer/enclave", "signer/process"],
    packages: [PROTOBUF],
    pure: true,
  },
  "signer/enclave/ledger": {
    rooms: ["signer/core/invariant.ts", REFUSAL, "signer/core/recently-used.ts", "signer/core/turns"],
    builtins: ["crypto", "fs", "path"],
  },
  // Where a ledger in SQLite is opened and created: the only files beside the store that see both it and the cache.
  "signer/enclave/ledger/local.ts": {
    rooms: [REFUSAL, "signer/enclave/ledger"],
    builtins: ["fs", "sqlite"],
  },
  // The store knows no key and no MAC: it has neither crypto nor the cache.
  "signer/enclave/ledger/sqlite": {
    rooms: [
      REFUSAL,
      "signer/core/settings/start-fault.ts",
      "signer/core/turns",
      ...["event-loop", "files", "lanes", "ledger", "refusals", "store", "uint64"].map(
        (file) => `signer/enclave/ledger/${file}.ts`,
      ),
    ],
    builtins: ["events", "fs", "sqlite", "worker_threads"],
  },
  // Its copy has a witness of its own, under the ledger's key.
  "signer/enclave/ledger/sqlite/copy-ledger.ts": {
    rooms: ["signer/core/crypto/secret.ts", "signer/enclave/ledger"],
    builtins: ["events", "timers/promises", "worker_threads"],
  },
  "signer/enclave/ledger/carry-over": {
    rooms: [REFUSAL, "signer/enclave/ledger"],
    builtins: ["crypto", "fs", "sqlite"],
  },
  // The log of transactions and decisions: its files, and the heads that are signed over them.
  "signer/enclave/log": {
    rooms: [
      "signer/core/log",
      REFUSAL,
      "signer/core/recently-used.ts",
      "signer/core/turns/steps.ts",
      "signer/enclave/ledger/files.ts",
    ],
    builtins: ["crypto", "fs", "fs/promises", "path", "util", "zlib"],
  },
  // The audit stream: its files, and what is recorded.
  "signer/enclave/audit": {
    rooms: [
      "signer/core/audit",
      REFUSAL,
      "signer/enclave/ledger/files.ts",
      "signer/process/audit-folder.ts",
      "signer/process/audit-notes.ts",
    ],
    builtins: ["crypto", "fs", "path"],
  },
  // Copies of ledger and log, of which backups are made.
  "signer/enclave/backup": {
    rooms: [
      "signer/core/crypto/secret.ts",
      "signer/core/log/leaf.ts",
      REFUSAL,
      "signer/enclave/ledger",
      "signer/enclave/log",
      "signer/process/log.ts",
    ],
    builtins: ["fs", "path"],
  },
  // Reads the root seed and makes the keyring of it.
  "signer/enclave/provision": {
    rooms: [STATE, "signer/core", "signer/enclave"],
    packages: [PROTOBUF],
    builtins: ["crypto", "fs", "path"],
  },
  "signer/enclave/phase.ts": { rooms: [SIGNER_TYPES, REFUSAL], packages: [PROTOBUF], pure: true },
  "signer/enclave/ids.ts": { rooms: [], pure: true },
  // Types of the signer without its servers.
  "signer/enclave/booted-signer.ts": { rooms: ["signer/enclave"], pure: true },
  // Locks and unlocks the signer.
  "signer/enclave/sealable.ts": {
    rooms: [
      "signer/core",
      "signer/enclave/booted-signer.ts",
      "signer/enclave/phase.ts",
      "signer/enclave/rpc/context.ts",
    ],
    builtins: ["timers/promises"],
  },
  // The gate of acts that holders approve, for the sealed file of the settings.
  "signer/enclave/holder-acts.ts": {
    rooms: [
      "signer/core",
      "signer/enclave/config.ts",
      "signer/enclave/ledger/trusted-clock.ts",
      "signer/process/root-seed.ts",
    ],
  },
  // Compares the sealed file with what the ledger knows of it.
  "signer/enclave/newest-seal.ts": {
    rooms: [REFUSAL, "signer/core/sealed-seed", "signer/enclave/ledger"],
    pure: true,
  },
  // Compares the witnesses of the settings with those of the sealed seed.
  "signer/enclave/approved-witnesses.ts": { rooms: [REFUSAL, "signer/core/sealed-seed"], pure: true },
  "signer/enclave/verify-index.ts": {
    rooms: ["signer/core/turns", "signer/enclave/ledger"],
    builtins: ["timers/promises"],
  },
  "signer/enclave/config.ts": {
    rooms: [
      "signer/enclave/organization/limits.ts",
      "signer/enclave/admitted-members.ts",
      "signer/enclave/modules/settings.ts",
      "signer/enclave/witness-settings.ts",
      "signer/core/invariant.ts",
      "signer/core/oidc/issuer.ts",
      "signer/core/request",
      "signer/core/settings",
      "signer/process/plain-seed.ts",
      "signer/process/settings.ts",
    ],
    builtins: ["path"],
  },
  // The witnesses of the log that the operator named.
  "signer/enclave/witness-settings.ts": {
    rooms: ["signer/core/log", "signer/core/settings", "signer/enclave/log/witnesses.ts"],
  },
  // Members that the operator admits, checked against the contract.
  "signer/enclave/admitted-members.ts": {
    rooms: ["proto", "signer/core/request", "signer/core/settings"],
    pure: true,
  },
  "signer/enclave/check-settings.ts": {
    rooms: [
      "signer/core/settings",
      "signer/enclave/admitted-members.ts",
      "signer/enclave/config.ts",
      "signer/process/refuse-debugger.ts",
    ],
  },
  // The end of a process whose state cannot be trusted.
  "signer/enclave/end-if-broken.ts": {
    rooms: ["signer/core/invariant.ts", "signer/process/log.ts", "signer/process/transport.ts"],
    builtins: [],
  },
  // The audit stream of the process, and its phases.
  "signer/enclave/audit-of-process.ts": {
    rooms: [SIGNER_TYPES, "signer/enclave", "signer/process/log.ts"],
  },
  "signer/enclave/boot.ts": { rooms: ["signer/core", "signer/enclave", "signer/process"] },
  // The signer that a start makes: serving over a ledger with its keys, or halted.
  "signer/enclave/start": {
    rooms: ["signer/core", "signer/enclave", "signer/process"],
    builtins: ["crypto"],
  },
  // Creates root seed and ledger, where an operator says so.
  "signer/enclave/create-deployment.ts": {
    rooms: [
      STATE,
      "signer/core/crypto/secret.ts",
      "signer/core/settings",
      "signer/enclave",
      "signer/process",
    ],
    builtins: ["fs"],
  },
  "signer/enclave/main.ts": { rooms: ["proto", "signer"], ...EDGE },
  // The program of a rehearsal of a backup, and the keys that it signs with.
  "signer/enclave/rehearsal.ts": { rooms: ["proto", "signer"], ...EDGE },
  "signer/enclave/rehearsal-keys.ts": {
    rooms: [STATE, "signer/core/address", "signer/core/crypto", "signer/enclave"],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },

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
  // A witness of logs: a program for a third host, which knows the keys of logs and nothing else of a deployment.
  "signer/witness": {
    rooms: [
      "signer/core/checks.ts",
      "signer/core/command-line.ts",
      "signer/core/log",
      "signer/core/settings",
      "signer/process/cosigned-heads.ts",
      "signer/process/exit-with-parent.ts",
      "signer/process/install-at.ts",
      "signer/process/intact-release.ts",
      "signer/process/known-logs.ts",
      "signer/process/log.ts",
      "signer/process/own-version.ts",
      "signer/process/refuse-debugger.ts",
      "signer/process/say-fault.ts",
      "signer/process/secret-file.ts",
      "signer/process/show-settings.ts",
      "signer/process/stop-signals.ts",
      "signer/process/terminal.ts",
    ],
    ...EDGE,
  },
  // The certificate authority of mutual TLS. The enclave may not import it.
  "signer/operator/authority": {
    rooms: ["signer/core/crypto/revocations.ts", "signer/core/join", "signer/process/tls-key.ts"],
    builtins: ["crypto", "fs", "path"],
  },
  "signer/operator/backup": {
    rooms: [
      "proto",
      "signer/core/backup",
      "signer/core/backup-files",
      "signer/core/backup-host",
      "signer/core/command-line.ts",
      "signer/core/log/checkpoint.ts",
      "signer/core/sealed-seed",
      "signer/core/settings/start-fault.ts",
      "signer/enclave/config.ts",
      "signer/enclave/rehearsal.ts",
      "signer/operator",
      "signer/core/seal-commands",
      "signer/process/audit-notes.ts",
      "signer/process/own-version.ts",
      "signer/process/socket-client.ts",
      "signer/process/unlock-client.ts",
    ],
    packages: [PROTOBUF],
    // A rehearsal starts a signer.
    builtins: [
      "child_process",
      "crypto",
      "events",
      "fs",
      "fs/promises",
      "path",
      "readline",
      "timers/promises",
    ],
  },
  // Reads and verifies the audit stream.
  "signer/operator/audit": {
    rooms: [
      "proto",
      "signer/core/audit",
      "signer/core/backup/fault.ts",
      "signer/core/backup-files",
      "signer/core/checks.ts",
      "signer/core/command-line.ts",
      "signer/core/log",
      REFUSAL,
      "signer/core/settings",
      "signer/enclave/config.ts",
      "signer/operator",
      "signer/process/audit-folder.ts",
      "signer/process/audit-notes.ts",
      "signer/process/install-at.ts",
      "signer/process/socket-client.ts",
      "signer/process/stop-signals.ts",
      "signer/process/terminal.ts",
    ],
    builtins: ["fs", "readline", "timers/promises"],
  },
  // Sends the audit stream, in a process of its own: nothing of the enclave is loaded with it.
  "signer/operator/audit-send": {
    rooms: [
      "signer/core/audit",
      "signer/core/command-line.ts",
      "signer/core/settings",
      "signer/operator/audit/reader.ts",
      "signer/operator/command-result.ts",
      "signer/process/stop-signals.ts",
      "signer/process/terminal.ts",
    ],
    builtins: ["events", "fs", "http", "https", "net", "os", "timers/promises", "tls"],
  },
  // Draws codes of shares, in the process of a ceremony and in no other.
  "signer/operator/ceremony/qr.ts": { rooms: [], packages: ["uqr"], pure: true },
  "signer/operator": {
    rooms: [
      "proto",
      "signer/core/checks.ts",
      "signer/core/command-line.ts",
      "signer/core/crypto/key-words.ts",
      "signer/core/crypto/p256.ts",
      "signer/core/crypto/revocations.ts",
      "signer/core/crypto/secret.ts",
      "signer/core/encodings.ts",
      "signer/core/holder-acts",
      "signer/core/join",
      "signer/core/log",
      REFUSAL,
      "signer/core/sealed-seed",
      "signer/core/proof/verify/trusted-pins.ts",
      "signer/core/settings",
      "signer/enclave/approved-witnesses.ts",
      "signer/enclave/config.ts",
      "signer/enclave/create-deployment.ts",
      "signer/enclave/ledger/create-ledger.ts",
      "signer/enclave/main.ts",
      "signer/process/ask.ts",
      "signer/core/seal-commands",
      "signer/process/root-seed.ts",
      "signer/process/socket-client.ts",
      "signer/process/unlock-client.ts",
      "signer/process/check-certificate.ts",
      "signer/process/confinement.ts",
      "signer/process/install-at.ts",
      "signer/process/intact-release.ts",
      "signer/process/own-version.ts",
      "signer/process/plain-seed.ts",
      "signer/process/secret-file.ts",
      "signer/process/settings.ts",
      "signer/process/show-settings.ts",
      "signer/process/refuse-debugger.ts",
      "signer/process/terminal.ts",
      "signer/process/tls-key.ts",
    ],
    packages: [PROTOBUF],
    ...EDGE,
  },
}
