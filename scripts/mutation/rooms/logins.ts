import type { Rooms } from "./room.ts"

/** Tokens, invitations and codes of other providers: how people get in. */
export const loginRooms: Rooms = {
  tokens: {
    mutate: ["signer/enclave/execution/steps/token-use.ts"],
    tests: ["attested-races", "attested-contacts", "mfa-codes", "attested-stamps"].map(
      (name) => `test/hostile/${name}.test.ts`,
    ),
  },
  invitations: {
    mutate: ["invitation-state", "invitations"].map((name) => `signer/enclave/organization/${name}.ts`),
    tests: ["test/signer/enclave/modules/users/invitations.test.ts", "test/hostile/invitations.test.ts"],
  },
  providers: {
    mutate: ["signer/fetcher/oauth2/*.ts"],
    tests: [
      "test/signer/fetcher/oauth2/exchange.test.ts",
      ...["logins", "orders", "providers"].map((name) => `test/hostile/oauth2-${name}.test.ts`),
    ],
  },
}
