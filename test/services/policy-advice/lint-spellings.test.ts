import t from "tap"
import { lint } from "../../../services/policy-advice/lint.ts"
import { compile } from "../../../signer/core/policy/expression.ts"
import { textAt } from "../../signer/core/policy/language/helpers.ts"

const EVM = "833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const TRON = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
const TRON_HEX = "a614f803b6fd780986a42c78ec9c7f77e6ded13c"
const BECH32 = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
const ID = "0198c0de-0000-7000-8000-0000000000aa"

/** Texts that their field never shows: the expression around each, the text, and the sentence with what to write. */
const SPELLINGS: readonly [expression: string, text: string, sentence: RegExp][] = [
  ["bitcoin.tx.outputs.all(o, o.address == X)", BECH32.toUpperCase(), new RegExp(`write '${BECH32}'`)],
  [
    "bitcoin.tx.outputs.any(o, o.address in [X])",
    "TB1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KXPJZSX",
    /write 'tb1q/,
  ],
  [
    "bitcoin.tx.inputs.any(i, i.tx_id == X)",
    `0x${"ab".repeat(32)}`,
    new RegExp(`write '${"ab".repeat(32)}'`),
  ],
  ...["", "0x", "41", "0x41"].map((begin): [string, string, RegExp] => [
    "tron.tx.contract.any(c, c.contract_address == X)",
    begin + TRON_HEX,
    new RegExp(`write '${TRON}'`),
  ]),
  ["tron.tx.contract[0].to_address == X", TRON.toLowerCase(), /Base58Check and begin with T/],
  ["tron.tx.contract[0].data[0..8] == X", "0xa9059cbb", /write 'a9059cbb'/],
  ["tron.tx.contract[0].function_signature == X", "0xa9059cbb", /write 'a9059cbb'/],
  ["tron.tx.contract[0].function_signature == X", "transfer(address,uint256)", /8 digits without 0x/],
  ["eth.tx.function_signature == X", "a9059cbb", /write '0xa9059cbb'/],
  ["eth.tx.function_signature == X", "transfer(address,uint256)", /0x and 8 digits/],
  ["eth.tx.data == X", "a9059cbb", /write '0xa9059cbb'/],
  ["eth.tx.to == X", EVM, new RegExp(`write '0x${EVM}'`)],
  ["eth.eip_712.domain.verifying_contract in [X]", `0x${EVM.slice(1)}`, /0x and 40 digits/],
  ["eth.eip_7702_authorization.address == X", EVM, /begin with 0x/],
  [
    "solana.tx.program_keys.any(p, p == X)",
    "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5D",
    /no Base58 of 32 bytes/,
  ],
  ["X in solana.tx.account_keys", "0OIl", /no Base58 of 32 bytes/],
  ["solana.tx.instructions.any(i, i.instruction_data_hex[0..2] == X)", "0C", /write '0c'/],
  ["wallet.id == X", ID.toUpperCase(), new RegExp(`write '${ID}'`)],
  ["eth.tx.to == X", `0x\u0430${EVM.slice(1)}`, new RegExp(`U\\+0430 .*; write '0xa${EVM.slice(1)}'`)],
  ["activity.action == X", "S\u0406GN", /U\+0406 is no letter of ASCII/],
  ["activity.kind in [X]", "SIGN\u200b_TRANSACTION", /U\+200B .*; write it in ASCII/],
  ["tron.tx.contract[0].owner_address == X", `\u0422${TRON.slice(1)}`, new RegExp(`write '${TRON}'`)],
  // A slice has a length and a place: the selector is [0..10] with 0x, or [2..10] without.
  ["eth.tx.data[0..8] == X", "0xa9059cbb", /it is 8 characters, and this text has 10; write \[0\.\.10\]/],
  ["eth.tx.data[0..10] in ['0x095ea7b3', X]", "a9059cbb", /begins with 0x/],
  ["eth.tx.data[0..8] == X", "a9059cbb", /begins with 0x/],
  ["eth.tx.function_signature[0..8] == X", "a9059cbb", /begins with 0x/],
  ["eth.tx.data[2..12] == X", "0xa9059cbb", /0x stands only at its beginning/],
  ["eth.tx.data == X", "0xa9059cbb ", /begins with 0x/],
  ["wallet.label[0] == X", "ab", /it is one character/],
  ["solana.tx.instructions.any(i, i.instruction_data_hex[0..2] == X)", "02000000", /write \[0\.\.8\]/],
  ["solana.tx.instructions.any(i, i.instruction_data_hex == X)", "transfer", /hexadecimal in lower case/],
  ["solana.tx.instructions.any(i, i.parsed_instruction_data.discriminator == X)", "0xAB", /write 'ab'/],
  ["solana.tx.instructions.any(i, i.parsed_instruction_data.named_accounts['to'] == X)", "0x12", /Base58/],
  ["solana.tx.recent_blockhash == X", "0OIl", /Base58/],
  ["eth.tx.to == X", `0x${EVM.replace("fC", "FC")}`, /checksum \(EIP-55\) is wrong/],
  ["tempo.tx.calls.any(c, c.to == X)", EVM, /begin with 0x/],
  ["tempo.tx.fee_token == X", "USDC", /0x and 40 digits/],
  ["bitcoin.tx.outputs.any(o, o.address == X)", `${BECH32.slice(0, -1)}x`, /no address of Bitcoin/],
  [
    "bitcoin.tx.outputs.any(o, o.address == X)",
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",
    /no address of Bitcoin/,
  ],
  ["bitcoin.tx.outputs.any(o, o.address == X)", "0014751e76e8199196d454941c45d1b3a323f1433bd6", /no address/],
  ["bitcoin.tx.outputs.any(o, o.address_type == X)", "segwit", /the values are 'P2PKH'/],
  ["tron.tx.contract[0].owner.operations == X", "0x7FFF", /write '7fff'/],
  ["tron.tx.contract[0].type == X", "TransferContracts", /the values are 'TransferContract'/],
  ["wallet_account.address == X", BECH32.toUpperCase(), new RegExp(`write '${BECH32}'`)],
  ["wallet_account.address == X", `41${TRON_HEX}`, new RegExp(`write '${TRON}'`)],
  ["wallet_account.address == X", EVM.toLowerCase(), new RegExp(`write '0x${EVM}'`)],
  ["wallet_account.address == X", `0x${EVM.toUpperCase()}`, new RegExp(`EIP-55; write '0x${EVM}'`)],
]

t.test("a text in a spelling that its field never shows is pointed at, with the text to write", async (t) => {
  for (const [expression, text, sentence] of SPELLINGS) {
    const whole = expression.replace("X", () => `'${text}'`)
    const found = lint(compile(whole, "condition")).filter((one) => sentence.test(one.sentence))
    t.equal(
      textAt(whole, found[0]),
      `'${text}'`,
      `${whole}: ${lint(compile(whole, "condition"))
        .map((one) => one.sentence)
        .join("; ")}`,
    )
  }
})
