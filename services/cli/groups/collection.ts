import type { Command } from "commander"
import { type ApiOptions, clientOf } from "../api-options.ts"
import { type CommandContext, common, examples } from "./options.ts"

/** `collection`. */
export function addCollectionCommand(program: Command, { settings, terminal }: CommandContext): void {
  const collection = program
    .command("collection")
    .description("print the API's operations as a collection of requests for Postman and Bruno")
  examples(common(collection), ["collection > collection.json"]).action(async (options: ApiOptions) => {
    const { collectionText } = await import("../commands/collection.ts")
    terminal.print(collectionText(clientOf(options, settings()).url))
  })
}
