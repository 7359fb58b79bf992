import { text } from "node:stream/consumers"
import type { Command } from "commander"
import type { StampOptions } from "../api-options.ts"
import type { SendOptions } from "../commands/send.ts"
import type { SignTransactionOptions } from "../commands/sign-transaction.ts"
import { as, type CommandContext, common, stampingClient } from "./options.ts"

/** `send`, `sign transaction` and `chain status`. */
export function addTransactionCommands(program: Command, context: CommandContext): void {
  const { environment, settings, terminal } = context
  as(common(program.command("send").description("have a transaction signed, broadcast and followed")))
    .requiredOption(
      "--chain <caip2>",
      "EVM chain, such as eip155:1, or a name of COUNTERSIGN_CHAINS such as base",
    )
    .requiredOption("--from <address>", "account that pays")
    .requiredOption("--to <address>", "account or contract")
    .option("--value <wei>", "amount in wei")
    .option("--data <hex>", "call data")
    .option("--nonce <number>", "nonce; by default the account's next one")
    .option("--gas-limit <units>", "gas units; estimated by default")
    .option("--max-fee-per-gas <wei>", "greatest fee for each unit; by default that of the moment")
    .option("--max-priority-fee-per-gas <wei>", "greatest tip for each unit")
    .option("--no-wait", "do not wait until it is included")
    .action(async (options: StampOptions & SendOptions) => {
      const { readSend, send } = await import("../commands/send.ts")
      const order = readSend(options)
      const { client, organizationId } = await stampingClient(options, settings())
      await send(order, options, { client, organizationId, terminal })
    })

  const sign = program.command("sign").description("signatures")
  as(
    common(
      sign.command("transaction <hex>").description("sign an unsigned transaction; - for standard input"),
    ),
  )
    .requiredOption("--sign-with <address>", "account or private key that signs")
    .option("--type <chain>", "ethereum, solana, tron or bitcoin", "ethereum")
    .action(async (hex: string, options: StampOptions & SignTransactionOptions) => {
      const unsigned = hex === "-" ? (await text(process.stdin)).trim() : hex
      const { signTransaction } = await import("../commands/sign-transaction.ts")
      const { client, organizationId } = await stampingClient(options, settings())
      await signTransaction(unsigned, options, { client, organizationId, terminal })
    })

  const chain = program.command("chain").description("chains of COUNTERSIGN_CHAINS")
  chain
    .command("status")
    .description("ask the nodes of each chain, from this host")
    .option("--json", "print the result on one line")
    .action(async (options: { json?: boolean }) => {
      const { chainStatus } = await import("../commands/chain-status.ts")
      await chainStatus(environment, options, terminal)
    })
}
