// Who may import what, room by room. A room is a folder or a file; the longest path
// that fits a file is its room. A new folder of signer/ or services/ needs a rule here before it can be used.

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
const STATE = "proto/gen/countersign/state"
const API_TYPES = "proto/gen/countersign/api"
const API_ENUMS = "proto/gen/countersign/api/v1/enums_pb.ts"

const leaf: Rule = { rooms: ["signer/refusal.ts"] }
const atTheEdge = { builtins: "any" } as const

export const rules: { readonly [room: string]: Rule } = {
  proto: { rooms: [], packages: [PROTOBUF], pure: true },
  "proto/gen": { rooms: [], packages: [PROTOBUF], pure: true },
  "proto/grpc.ts": { rooms: ["proto"], packages: [PROTOBUF, "@grpc/grpc-js"] },
  "proto/grpc-client.ts": { rooms: ["proto"], packages: [PROTOBUF, "@grpc/grpc-js"] },
  "proto/grpc-definition.ts": { rooms: ["proto"], packages: [PROTOBUF, "@grpc/grpc-js"] },
  "proto/grpc-outbox.ts": { rooms: [] },
  "proto/grpc-stream.ts": { rooms: ["proto"], packages: [PROTOBUF, "@grpc/grpc-js"] },

  // The rooms of the signer that only see their arguments.
  // Passkeys: what authenticators and browsers write, read and verified.
  "signer/webauthn": { rooms: [API_ENUMS, "proto/strict-json.ts"], builtins: ["crypto"], pure: true },
  "signer/stamp": {
    rooms: [API_TYPES, "proto/strict-json.ts", "signer/refusal.ts", "signer/webauthn"],
    packages: ["@noble/curves", "@noble/hashes"],
    builtins: ["crypto"],
    pure: true,
  },
  // Text alone, no key: the API tier looks addresses up by the same spelling.
  "signer/keys/address/canonical.ts": { rooms: ["signer/keys/address/crc16.ts"], pure: true },
  "signer/keys/address/crc16.ts": { rooms: [], pure: true },
  "signer/keys": {
    rooms: [
      API_TYPES,
      "proto/strict-json.ts",
      "signer/keys/address/canonical.ts",
      "signer/keys/address/crc16.ts",
      "signer/refusal.ts",
    ],
    packages: [
      "@noble/ciphers",
      "@noble/curves",
      "@noble/hashes",
      "@scure/base",
      "@scure/bip32",
      "@scure/bip39",
      // libsecp256k1, as a prebuilt binary or as WebAssembly. The package's root would fall back silently to a
      // slow implementation, so only the binding is allowed.
      "secp256k1/bindings.js",
      "tiny-secp256k1",
    ],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/record": { rooms: [STATE, "signer/keys", "signer/refusal.ts"], packages: [PROTOBUF], pure: true },
  // ID tokens and the keys of their issuers: read and checked, never fetched.
  "signer/oidc": {
    rooms: ["proto/strict-json.ts", "signer/refusal.ts"],
    builtins: ["crypto"],
    pure: true,
  },
  // Numbers alone: the API tier enforces allowlists by the same reading.
  "signer/organization/ip-block.ts": { rooms: [], pure: true },
  "signer/organization": {
    rooms: [STATE, API_ENUMS, "signer/organization/ip-block.ts", "signer/refusal.ts", "signer/webauthn"],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  // ABIs and IDLs: what calls of contracts are read by.
  "signer/interface": {
    rooms: ["proto/strict-json.ts", "signer/keys", "signer/refusal.ts"],
    packages: ["@noble/hashes", "@scure/base"],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/policy": {
    rooms: [
      API_TYPES,
      STATE,
      "proto/catalog.ts",
      "signer/organization",
      "signer/refusal.ts",
      "signer/weighed-map.ts",
    ],
    pure: true,
  },
  // What expressions see of a request. Payloads are read by the readers of what is signed, so that both see the same.
  "signer/policy/facts": {
    rooms: [
      API_TYPES,
      STATE,
      "proto/catalog.ts",
      "signer/keys/authorization.ts",
      "signer/keys/integer.ts",
      "signer/keys/payload-fault.ts",
      "signer/keys/typed-data",
      "signer/policy",
      "signer/refusal.ts",
    ],
    pure: true,
  },
  // Expressions: text in, a checked tree out, a tree and values in, true, false or a fault out. Nothing of ours below it.
  "signer/policy/language": { rooms: [], pure: true },
  // What names in expressions mean.
  "signer/policy/namespaces": { rooms: ["signer/policy/language"], pure: true },
  "signer/transaction": {
    rooms: ["signer/refusal.ts"],
    packages: ["@noble/hashes", "@scure/base", "@scure/btc-signer", "micro-eth-signer"],
    pure: true,
  },
  // Bundles: what users seal to the signer and the signer to users.
  "signer/channel": {
    rooms: ["proto/strict-json.ts", "signer/keys", "signer/refusal.ts"],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/proof": {
    rooms: [STATE, "signer/keys", "signer/refusal.ts"],
    packages: ["@noble/curves", "@noble/hashes", PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },

  // What others check proofs by: it holds no key, and the command line uses it as it is.
  "signer/proof/verify": {
    rooms: [
      API_TYPES,
      STATE,
      "proto/catalog.ts",
      "proto/read.ts",
      "proto/strict-json.ts",
      "proto/write.ts",
      "signer/keys",
      "signer/proof",
      "signer/stamp",
    ],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },

  "signer/activities": {
    rooms: [
      API_TYPES,
      STATE,
      "signer/channel",
      "signer/interface",
      "signer/keys",
      "signer/oidc",
      "signer/organization",
      "signer/policy",
      "signer/proof",
      "signer/record",
      "signer/refusal.ts",
      "signer/stamp",
      "signer/transaction",
      "signer/webauthn",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  // The procedure between a call and an activity: stamp, ledger, decision, run, settlement.
  "signer/execution": {
    rooms: [
      "proto",
      "signer/activities",
      "signer/fetching",
      "signer/ids.ts",
      "signer/keys",
      "signer/ledger",
      "signer/oidc",
      "signer/organization",
      "signer/policy",
      "signer/proof",
      "signer/provision",
      "signer/record",
      "signer/refusal.ts",
      "signer/stamp",
      "signer/weighed-map.ts",
    ],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  "signer/rpc": {
    rooms: [
      "proto",
      "signer/activities",
      "signer/execution",
      "signer/ledger",
      "signer/log.ts",
      "signer/phase.ts",
      "signer/provision",
      "signer/refusal.ts",
      "signer/stamp",
      "signer/turn-queue.ts",
    ],
    packages: [PROTOBUF],
    pure: true,
  },
  "signer/ledger": { rooms: ["signer/refusal.ts"], builtins: ["crypto", "fs", "path", "sqlite"] },
  "signer/ledger/postgres.ts": { rooms: ["signer/refusal.ts"], packages: ["postgres"], builtins: ["crypto"] },
  // Reads the root seed and makes the keyring of it.
  "signer/provision": {
    rooms: [
      STATE,
      "signer/channel",
      "signer/keys",
      "signer/organization",
      "signer/proof",
      "signer/record",
      "signer/refusal.ts",
    ],
    packages: [PROTOBUF],
    builtins: ["crypto", "fs", "path"],
  },
  // Orders to the fetcher and its statements, as both ends write and read them.
  "signer/fetching": {
    rooms: ["proto/gen/countersign/signer", "signer/refusal.ts"],
    packages: [PROTOBUF],
    builtins: ["crypto"],
    pure: true,
  },
  // A process of its own: the only one of the trusted ones with a way out.
  "signer/fetcher": {
    rooms: [
      "proto",
      "signer/exit-with-parent.ts",
      "signer/fetching",
      "signer/keys",
      "signer/log.ts",
      "signer/oidc",
      "signer/provision/root-seed.ts",
      "signer/refusal.ts",
      "signer/settings.ts",
      "signer/transport.ts",
    ],
    packages: ["@grpc/grpc-js", PROTOBUF],
    ...atTheEdge,
  },

  // The edge of the process.
  "signer/main.ts": { rooms: ["proto", "signer"], packages: ["@grpc/grpc-js"], ...atTheEdge },
  "signer/transport.ts": { rooms: ["proto", "signer"], packages: ["@grpc/grpc-js", PROTOBUF], ...atTheEdge },
  "signer/operator": { rooms: ["proto", "signer"], packages: ["@grpc/grpc-js", PROTOBUF], ...atTheEdge },
  "signer/boot.ts": { rooms: ["proto", "signer"], builtins: ["crypto"] },
  "signer/config.ts": { rooms: ["signer/settings.ts"] },
  "signer/check-settings.ts": { rooms: ["signer/config.ts", "signer/settings.ts"] },
  "signer/settings.ts": { rooms: ["signer/keys", "signer/setting-names.ts"], builtins: ["fs", "path"] },
  // Names alone: services refuse what is not among them by the same list.
  "signer/setting-names.ts": { rooms: [], pure: true },
  "signer/refusal.ts": { rooms: ["proto/gen/countersign/signer"], pure: true },
  "signer/phase.ts": { ...leaf, pure: true },
  "signer/ids.ts": { ...leaf, pure: true },
  "signer/turn-queue.ts": leaf,
  "signer/weighed-map.ts": leaf,
  "signer/log.ts": leaf,
  "signer/exit-with-parent.ts": leaf,

  // Of the signer services see what is pure and holds no key at work; it throws what refusal.ts declares.
  "services/common": {
    rooms: ["proto", "signer/refusal.ts", "signer/setting-names.ts", "signer/stamp"],
    packages: ["koa", "pino", "zod"],
    ...atTheEdge,
  },
  // The interface as OpenAPI documents, for both hosts.
  "services/common/openapi": { rooms: ["proto"], packages: [PROTOBUF], pure: true },
  "services/api": {
    rooms: [
      "proto",
      "services/common",
      "signer/keys/address/canonical.ts",
      "signer/keys/path.ts",
      "signer/organization/ip-block.ts",
      // What policies would come to, for whoever asks: nothing here is decided by it.
      "signer/policy/simulation",
      "signer/refusal.ts",
      "signer/stamp",
    ],
    packages: [PROTOBUF, "@koa/router", "koa", "koa-helmet", "zod"],
    ...atTheEdge,
  },
  // All SQL of the service.
  "services/api/store": {
    rooms: ["proto", "services/api", "services/common"],
    packages: [PROTOBUF, "postgres", "zod"],
    ...atTheEdge,
  },
  // The only callers of the signer.
  "services/api/signer-client.ts": {
    rooms: ["proto", "services/api", "services/common", "signer/refusal.ts"],
    packages: [PROTOBUF, "@grpc/grpc-js"],
    ...atTheEdge,
  },
  "services/api/peer.ts": {
    rooms: ["proto", "services/api", "services/common", "signer/refusal.ts"],
    packages: [PROTOBUF, "@grpc/grpc-js"],
    ...atTheEdge,
  },
  "services/auth-proxy": {
    rooms: ["proto", "services/common"],
    packages: [PROTOBUF, "@koa/cors", "@koa/router", "koa", "zod"],
    ...atTheEdge,
  },
  "services/worker": {
    rooms: ["proto", "services/common"],
    packages: [PROTOBUF, "pg-boss", "postgres", "zod"],
    ...atTheEdge,
  },
  "services/dashboard": {
    rooms: ["proto", "services/common", "signer/policy", "signer/proof/verify", "signer/transaction"],
    packages: ["preact"],
    ...atTheEdge,
  },
  "services/cli": {
    rooms: [
      "proto",
      "services/common",
      "signer/policy",
      "signer/proof/verify",
      "signer/setting-names.ts",
      "signer/transaction",
    ],
    packages: [PROTOBUF, "@clack/prompts", "commander", "zod"],
    ...atTheEdge,
  },
}

/** Files that decide at run time what they load, each with its reason. */
export const computedImports: { readonly [file: string]: string } = {
  "services/api/pages.ts": "loads the OpenAPI document when it is first asked for",
}
