import type { Rooms } from "./room.ts"

/** Notifications: their signatures, the URLs they go to, and the end of an attempt. */
export const webhookRooms: Rooms = {
  webhooks: {
    mutate: [
      "signer/core/webhook/*.ts",
      "signer/enclave/modules/webhooks/keys/webhook-key.ts",
      "signer/enclave/modules/webhooks/webhook-endpoints.ts",
      "signer/enclave/modules/webhooks/calls/sign-webhooks.ts",
      "services/worker/webhooks/post.ts",
      "services/worker/webhooks/schedule.ts",
    ],
    tests: [
      "test/signer/core/webhook/url.test.ts",
      "test/hostile/webhook-statements.test.ts",
      "test/signer/enclave/modules/webhooks/webhook-endpoints.test.ts",
      "test/services/worker/webhook-posts.test.ts",
    ],
  },
  balances: {
    mutate: ["signer/core/modules/webhooks/balance-filter.ts"],
    tests: ["test/signer/core/modules/webhooks/balance-filter.test.ts"],
  },
}
