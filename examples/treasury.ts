// A treasury with the published client. Backend proposes payments; two of the treasurers approve a payment before it is
// signed, and one rejection ends it. Each reads what they vote on from the bytes that backend stamped. Alice and bob are
// the treasurers. The example deletes its policy and tag at the end.
import { formatEther, type Hex, parseEther, parseGwei, parseTransaction, serializeTransaction } from "viem"
import { explain, keyOf, need } from "./development-values.ts"
import { done, expect, step } from "./steps.ts"
import { print } from "./terminal.ts"
import { stampedRequest } from "./treasury/stamped-request.ts"
import { type Client, clientOf, readPayment, refusal, removePolicies } from "./users.ts"

const OURS = "Example treasury: "
const SUPPLIER = "0x00000000000000000000000000000000000000aa"
const STRANGER = "0x00000000000000000000000000000000000000bb"
const address = need("SIGN_WITH") as Hex

const [root, backend, alice, bob] = [
  clientOf("root"),
  clientOf("backend"),
  clientOf("alice"),
  clientOf("bob"),
]

const { users } = await root.getUsers().catch(explain)
const idOf = (name: string) => users.find(({ userName }) => userName === name)?.userId ?? ""

await removeOurs()
try {
  const { userTagId } = await root.createUserTag({
    userTagName: `${OURS}treasurers`,
    userIds: [idOf("alice"), idOf("bob")],
  })
  await root.createPolicy({
    policyName: `${OURS}two treasurers approve payments`,
    effect: "EFFECT_ALLOW",
    condition: [
      `activity.kind == 'SIGN_TRANSACTION' && wallet.id == '${need("WALLET_ID")}'`,
      "eth.tx.chain_id == 1 && eth.tx.data == '0x'",
    ].join(" && "),
    consensus: [
      `approvers.any(u, u.id == '${idOf("backend")}')`,
      `approvers.filter(u, u.tags.contains('${userTagId}')).count() >= 2`,
    ].join(" && "),
    notes: "Plain payments of ether on chain 1, proposed by backend.",
  })
  step("policy", "backend proposes, two users with the tag treasurers approve")

  const payment = await propose(SUPPLIER, "0.25", 0)
  await review("alice", alice, payment)
  step("alice approves", await vote(alice.approveActivity({ fingerprint: payment })))
  await review("bob", bob, payment)
  const { activity } = await bob.approveActivity({ fingerprint: payment })
  step("bob approves", activity.status)
  const signed = activity.result.signTransactionResult?.signedTransaction
  if (signed === undefined) throw new Error("the approved activity has no signed transaction")
  const { to, value } = await readPayment(address, signed)
  expect("the treasury signed what was approved", to === SUPPLIER && value === parseEther("0.25"))

  const odd = await propose(STRANGER, "40", 1)
  await review("alice", alice, odd)
  step("alice rejects", await vote(alice.rejectActivity({ fingerprint: odd })))
  step("bob comes too late", await refusal(bob.approveActivity({ fingerprint: odd })))
} finally {
  await removeOurs()
}

print("")
print(
  "Shown: backend alone cannot pay. Two treasurers read the payment from the stamped bytes and approved it; the",
)
print("signature is theirs as much as backend's. One rejection ended the other payment for good.")
print(
  "Not shown, because it takes a day: votes lapse 24 hours after the first one. The payment then waits on, and backend",
)
print(
  "and both treasurers approve it again. `npx countersign reject --older-than HOURS` rejects what nobody wants any longer.",
)
done()

/** Backend asks for the signature of a payment. Returns the fingerprint of its request. */
async function propose(to: Hex, ether: string, nonce: number): Promise<string> {
  const fees = { gas: 21_000n, maxFeePerGas: parseGwei("20"), maxPriorityFeePerGas: parseGwei("1") }
  const payment = { chainId: 1, nonce, to, value: parseEther(ether), ...fees, type: "eip1559" } as const
  const { activity } = await backend.signTransaction({
    signWith: address,
    type: "TRANSACTION_TYPE_ETHEREUM",
    unsignedTransaction: serializeTransaction(payment).slice(2),
  })
  print("")
  step("backend proposes", `${ether} ETH to ${to}: ${activity.status}`)
  return activity.fingerprint
}

/** Prints what a treasurer reads before they vote: found among what waits for them, and decoded by viem. */
async function review(name: string, treasurer: Client, fingerprint: string): Promise<void> {
  const { activities } = await treasurer.getActivities({
    filterByStatus: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"],
  })
  const waiting = activities.find((activity) => activity.fingerprint === fingerprint)
  if (waiting === undefined) throw new Error(`nothing waits for ${name}`)
  const { unsignedTransaction, signWith } = stampedRequest(waiting, keyOf("backend").apiPublicKey)
  const {
    to,
    value = 0n,
    gas = 0n,
    maxFeePerGas = 0n,
    chainId,
  } = parseTransaction(`0x${unsignedTransaction}`)
  const fee = formatEther(gas * maxFeePerGas)
  step(`${name} reads`, `pays ${formatEther(value)} ETH to ${to} on chain ${chainId}`)
  step("", `from ${signWith}, fee at most ${fee} ETH, stamped by backend's key`)
}

async function vote(cast: Promise<{ activity: { status: string } }>): Promise<string> {
  return (await cast).activity.status
}

/** Deletes the policy and the tag of this and of interrupted runs. */
async function removeOurs(): Promise<void> {
  await removePolicies(root, OURS)
  const { userTags } = await root.listUserTags()
  const userTagIds = userTags.filter(({ tagName }) => tagName.startsWith(OURS)).map(({ tagId }) => tagId)
  if (userTagIds.length > 0) await root.deleteUserTags({ userTagIds })
}
