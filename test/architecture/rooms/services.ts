// Import rules of the untrusted processes.

import { EDGE, FAULT, GRPC, PROTOBUF, REFUSAL, SIGNER_TYPES, STATE, type Rules } from "./rule.ts"

export const serviceRooms: Rules = {
  // services: untrusted code. It may import the core of the signer and nothing else of it.
  "services/common": {
    rooms: ["signer/core"],
    packages: ["koa", "pino"],
    ...EDGE,
  },
  // The closed list of reasons, with the texts of their pages.
  "services/common/errors": {
    rooms: [SIGNER_TYPES, "services/common/api-error.ts"],
    packages: [PROTOBUF],
    pure: true,
  },
  // Pages without scripts: the reference and the reasons of errors.
  "services/common/pages": {
    rooms: ["services/common"],
    builtins: ["crypto"],
  },
  // The operations as a collection of requests for Postman and Bruno.
  "services/common/collection": { rooms: ["services/common/openapi"], pure: true },
  // A text that other programs run: it names the clock, and is not run here.
  "services/common/collection/stamping-script.ts": { rooms: [] },
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
  "services/chains": {
    rooms: [
      "signer/core/address/chain.ts",
      "signer/core/encodings.ts",
      // Tokens are named by CAIP-19, as velocity controls name them.
      "signer/core/modules/policies/velocity/assets.ts",
      "signer/core/settings",
      "signer/core/words/chains.ts",
    ],
    packages: ["@scure/base"],
  },
  // The connection to PostgreSQL and the queues in it.
  "services/database": {
    rooms: ["services/common", "signer/core/settings"],
    packages: ["pg-boss", "postgres"],
    builtins: ["path", "timers/promises"],
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
    builtins: ["http", "os", "timers/promises"],
  },
  // Delivers notifications to URLs that strangers chose.
  "services/worker/webhooks": {
    rooms: [
      "services/common",
      "services/database",
      "services/worker/store",
      "signer/core/organization/public-address.ts",
      "signer/core/webhook",
    ],
    builtins: ["dns", "dns/promises", "http", "https", "net", "timers/promises"],
  },
  // Balances that endpoints follow, from the operator's nodes.
  "services/worker/balances": {
    rooms: [
      "services/chains",
      "services/common",
      "services/database",
      "services/worker/store",
      "services/worker/webhooks/schedule.ts",
      "signer/core/webhook/statement.ts",
    ],
    builtins: ["timers/promises"],
  },
  // All SQL of the worker.
  "services/worker/store": { rooms: ["services/chains", "services/database"] },
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
      "services/api/signer/links.ts",
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
      "services/api/guides",
    ],
    packages: [PROTOBUF, "@koa/router", "koa"],
    builtins: ["http", "util", "zlib"],
  },
  // The documents of the installation as pages. The second library is served to browsers.
  "services/api/guides": {
    rooms: ["services/common/pages"],
    packages: ["marked"],
    builtins: ["crypto", "fs/promises", "path", "timers/promises", "url"],
  },
  // Old activities as files, and their removal from the database.
  "services/api/exports": {
    rooms: [
      "proto",
      "services/common/activity-export.ts",
      "services/database",
      "services/api/resources/activity.ts",
      "services/api/store",
      "signer/core/settings",
    ],
    packages: [PROTOBUF],
    builtins: ["fs", "fs/promises", "path", "readline", "timers/promises"],
  },
  // All tables as files of a backup, and their restoration.
  "services/api/backup": {
    rooms: [
      STATE,
      "services/common/own-version.ts",
      "services/api/exports/export-files.ts",
      "services/api/store/migrate.ts",
      "services/api/store/schema.ts",
      "services/api/store/tables.ts",
      "services/database",
      "signer/core/backup",
      "signer/core/backup-files",
      "signer/core/settings",
    ],
    builtins: ["crypto", "fs", "fs/promises", "path", "stream", "timers/promises"],
  },
  // A database that is newer than the ledger, brought to its moment.
  "services/api/cut": {
    rooms: [
      "proto",
      "services/common",
      "services/database",
      "services/api/exports/activity-line.ts",
      "services/api/signer",
      "services/api/store",
      "signer/core/settings",
    ],
    packages: [PROTOBUF],
    builtins: ["crypto", "fs/promises"],
  },
  // Bodies of notifications, and their signatures.
  "services/api/webhooks": {
    rooms: [
      REFUSAL,
      "services/common",
      "services/database",
      "services/api/authentication/organization-store.ts",
      "services/api/resources",
      "services/api/signer/signer.ts",
      "services/api/store",
      "signer/core/turns/slices.ts",
      "signer/core/webhook/statement.ts",
    ],
    builtins: ["timers/promises"],
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
  },
  "services/api/queries": {
    rooms: [
      "proto",
      "services/common",
      "services/policy-advice",
      "signer/core",
      "services/api/resources",
      "services/api/authentication",
      "services/api/signer/attested-read.ts",
      "services/api/signer/boot-proofs.ts",
      "services/api/signer/links.ts",
      "services/api/signer/log-reader.ts",
      "services/api/signer/notarizer-key.ts",
      "services/api/signer/served-log.ts",
      "services/api/signer/signer.ts",
      "services/api/sending",
      "services/api/store",
      "services/chains",
      "services/database",
      "services/api/errors.ts",
      "services/api/request-body.ts",
    ],
    packages: [PROTOBUF, "@scure/base"],
    builtins: ["http"],
  },
  // Members that callers left out of their sends, from the nodes of the chain. No SQL.
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
      FAULT,
      "proto",
      "signer/core/contract-interface",
      "signer/core/encodings.ts",
      "signer/core/freshness.ts",
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
    rooms: ["proto", "services/chains", "services/database", "signer/core"],
    packages: [PROTOBUF],
    builtins: ["crypto", "fs", "path", "zlib"],
  },
  "services/api/errors.ts": {
    // The sentence of an exceeded control, as approvers read it.
    rooms: [
      "proto",
      "services/common",
      "services/database/faults.ts",
      "signer/core/modules/policies/words/excess.ts",
      REFUSAL,
    ],
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
      "signer/core/backup",
      "signer/core/backup-files",
      "signer/core/command-line.ts",
      "signer/core/crypto",
      "signer/core/encodings.ts",
      // ID tokens are read to find their user. ID tokens of the service itself, and verification tokens, prove a contact.
      "signer/core/oidc/issued-token.ts",
      "signer/core/oidc/issuer.ts",
      "signer/core/oidc/token.ts",
      "signer/core/organization/ip-block.ts",
      "signer/core/otp/verification-token.ts",
      "signer/core/recently-used.ts",
      "signer/core/refusal.ts",
      "signer/core/seal-commands",
      "signer/core/sealed-seed",
      "signer/core/settings",
      "signer/core/turns/deadline.ts",
      "signer/core/uuid.ts",
    ],
    packages: ["@koa/router", "koa"],
    ...EDGE,
  },
  // Pages for the browser. They see the public API alone, and verify with the contract's readers and the pure core.
  "services/dashboard": {
    rooms: [
      "proto",
      "services/common/activity-json.ts",
      "services/common/certificate-days.ts",
      "services/common/log-bundle.ts",
      "signer/core",
    ],
    packages: [
      PROTOBUF,
      "@codemirror/autocomplete",
      "@codemirror/commands",
      "@codemirror/language",
      "@codemirror/lint",
      "@codemirror/state",
      "@codemirror/view",
      "@lezer/highlight",
      "@noble/curves",
      "@noble/hashes",
      "@preact/signals",
      "@scure/bip39",
      "preact",
      "uplot",
      "uqr",
    ],
  },
  // Serves the build of those pages, for browsers of the network. No key, no database, no way to the signer.
  "services/dashboard-host": {
    rooms: ["services/common", "signer/core/settings"],
    builtins: ["fs", "http", "path"],
  },
  // Runs the programs of the untrusted hosts, and looks at them from outside.
  "services/node": {
    rooms: [
      "services/common",
      "signer/core/backup-host",
      "signer/core/checks.ts",
      "signer/core/closest-name.ts",
      "signer/core/command-line.ts",
      // Days that the API's certificates have left.
      "signer/core/crypto/certificate.ts",
      "signer/core/crypto/revocations.ts",
      "signer/core/install",
      "signer/core/settings",
    ],
    builtins: ["child_process", "fs", "path", "util"],
  },
  // A person's requests at a terminal: their keys, names, settings and pins; calls of an API; what is stamped is shown and kept.
  "services/terminal-client": {
    rooms: [
      "proto",
      "services/common",
      // The form of notes about policies.
      "services/policy-advice/notes.ts",
      // Words of activities and the check of what is shown, the same in the browser and the terminal.
      "services/dashboard/api/signed-document.ts",
      "services/dashboard/api/verify.ts",
      "services/dashboard/words",
      "signer/core",
    ],
    packages: [PROTOBUF, "yaml", "zod"],
    builtins: [
      "crypto",
      "fs",
      "fs/promises",
      "os",
      "path",
      "readline/promises",
      "stream",
      "timers/promises",
      "stream/consumers",
      "util",
    ],
  },
  // The development system: a database, all processes, and first keys.
  "services/dev": {
    rooms: ["proto", "services/common", "services/terminal-client", "signer/core"],
    packages: [PROTOBUF, "vite"],
    ...EDGE,
  },
  // An organization as a file: what it says, what the API shows, and the activities between them.
  "services/organization-file": {
    rooms: ["proto", "services/policy-advice", "services/terminal-client", "signer/core"],
    packages: [PROTOBUF, "yaml", "zod"],
    builtins: ["fs/promises", "path"],
  },
  // The commands of `countersign`, each a declaration.
  "services/cli": {
    rooms: [
      "proto",
      "services/chains",
      "services/common",
      "services/dev",
      "services/organization-file",
      "services/policy-advice",
      "services/terminal-client",
      "services/dashboard/words",
      "signer/core",
    ],
    packages: [PROTOBUF, "@noble/curves", "commander", "uqr", "zod"],
    ...EDGE,
  },
}
