// Calls of tokens on Tron in words. ethers encodes the calls, tronweb the transactions.
import { Interface } from "ethers"
import t from "tap"
import { utils } from "tronweb"
import { writtenByTronweb } from "../transaction/tron-judge.ts"
import { wordsOf } from "./reading.ts"

const [OWNER, TOKEN, OTHER] = ["11", "22", "33"].map((byte) => `41${byte.repeat(20)}`) as [
  string,
  string,
  string,
]
const spender = utils.address.fromHex(OTHER)

/** Words of a transaction of one contract. */
function wordsOfContract(type: string, value: object) {
  const type_url = `type.googleapis.com/protocol.${type}`
  const bytes = writtenByTronweb({
    contract: [{ type, parameter: { type_url, value: { owner_address: OWNER, ...value } } }],
    ref_block_bytes: "c3e8",
    ref_block_hash: "e3b7e1a1c2d3f4e5",
    expiration: 1_893_456_060_000,
    timestamp: 1_893_456_000_000,
    fee_limit: 100_000_000,
    data: "",
  })
  const parameters = {
    signWith: spender,
    type: "TRANSACTION_TYPE_TRON",
    unsignedTransaction: bytes.toString("hex"),
  }
  const [content] = wordsOf("SIGN_TRANSACTION_V2", parameters).contents
  return content!
}

function told(declaration: string, ...values: readonly unknown[]) {
  const name = declaration.slice(0, declaration.indexOf("("))
  const data = new Interface([`function ${declaration}`]).encodeFunctionData(name, values).slice(2)
  return wordsOfContract("TriggerSmartContract", { contract_address: TOKEN, call_value: 0, data })
}

t.test("C-1817: stakes, votes, rewards and TRC-10 tokens are described", async (t) => {
  const owner = utils.address.fromHex(OWNER)
  const asset_name = Buffer.from("1002000").toString("hex")
  const token = wordsOfContract("TransferAssetContract", { asset_name, to_address: OTHER, amount: 7 })
  t.equal(token.summary, `send 7 base units of TRC-10 token "1002000" from ${owner} to ${spender} on Tron`)
  const votes = [
    { vote_address: OTHER, vote_count: 5 },
    { vote_address: TOKEN, vote_count: 1 },
  ]
  const second = utils.address.fromHex(TOKEN)
  const given = `give 5 votes to ${spender} and 1 vote to ${second}`
  t.equal(
    wordsOfContract("VoteWitnessContract", { votes }).summary,
    `end the votes of ${owner}, and ${given} on Tron`,
  )
  t.match(wordsOfContract("VoteWitnessContract", { votes: [] }).summary, /, and give none on Tron/)
  for (const [type, expected] of [
    ["WithdrawExpireUnfreezeContract", `take back what ${owner} staked and has waited for`],
    ["CancelAllUnfreezeV2Contract", `stake again all that ${owner} waits for`],
    ["WithdrawBalanceContract", `collect the rewards of ${owner}`],
    ["UnfreezeBalanceContract", `end the stake of ${owner} from before Stake 2.0 for BANDWIDTH`],
  ] as const) {
    const words = wordsOfContract(type, {})
    t.equal(words.summary, `${expected} on Tron`)
    t.same(words.warnings, [])
  }
})

t.test("functions of tokens are described with their arguments, and unknown ones as unknown", async (t) => {
  const address = `0x${OTHER.slice(2)}`
  const raised = told("increaseApproval(address,uint256)", address, 7)
  t.match(
    raised.summary,
    `let ${spender} take 7 base units of token ${utils.address.fromHex(TOKEN)} more than before`,
  )
  t.match(raised.warnings, [/without another signature/])
  const sent = told("transferAndCall(address,uint256,bytes)", address, 7, "0xabcd")
  t.match(sent.summary, `: to ${spender}, value 7, data abcd`)
  const allowed = told("approveAndCall(address,uint256)", address, 7)
  t.match(allowed.warnings, [/without another signature/])
  const unknown = told("authorizeOperator(address)", address)
  t.match(unknown.summary, /call an unknown function \(959b8c3f/)
  t.match(unknown.warnings, [/none of the known ones of tokens/])
})
