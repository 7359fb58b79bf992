import t from "tap"
import { titleOf } from "../../../../signer/core/words/labels.ts"
import { wordsOf } from "./reading.ts"

t.test("a title begins with its verb, also where the type begins with a chain", async (t) => {
  for (const [type, title] of [
    ["ETH_SEND_TRANSACTION_V2", "Send Ethereum transaction"],
    ["SOL_SEND_TRANSACTION", "Send Solana transaction"],
    ["ETH_CANCEL_TRANSACTION", "Cancel Ethereum transaction"],
    ["ETH_UNDELEGATE_7702", "Undelegate Ethereum account (EIP-7702)"],
    ["CREATE_WALLET", "Create wallet"],
  ] as const)
    t.equal(titleOf(`ACTIVITY_TYPE_${type}`), title)
})

t.test("a tag of nobody is made for no users", async (t) => {
  const sentences = [
    wordsOf("CREATE_USER_TAG", { userTagName: "treasury", userIds: [] }),
    wordsOf("CREATE_PRIVATE_KEY_TAG", { privateKeyTagName: "cold", privateKeyIds: [] }),
  ].map(({ sentence }) => sentence)
  t.strictSame(sentences, [
    'Create tag "treasury" for no users',
    'Create private key tag "cold" for no private keys',
  ])
})
