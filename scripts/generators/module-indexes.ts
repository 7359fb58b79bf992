import { moduleIndex } from "./module-parts.ts"
import { MODULES } from "./module-files.ts"

/** The powers of the signer's modules, their facts for policies and their kinds of fetched facts. */
export function powerIndex(): string {
  return moduleIndex({
    folder: MODULES,
    file: "powers/powers.ts",
    parts: [
      { name: "powers", joined: "members", index: "powers" },
      { name: "facts", joined: "each", index: "factSources" },
      { name: "fetched", joined: "all", index: "fetched" },
    ],
    imports: `import type { AnyFactKind } from "../execution/state/fact-kind.ts"
import type { ModuleFacts } from "../execution/workspace/facts-request.ts"
`,
    declared: {
      powers: { comment: "How the powers of all modules are made." },
      factSources: {
        comment: "The facts of a request that modules show to policies.",
        type: "readonly ModuleFacts[]",
      },
      fetched: {
        comment: "Kinds of facts that the fetcher states for activities.",
        type: "readonly AnyFactKind[]",
      },
    },
  })
}

/** The keys of modules, each from its own branch of the root seed. */
export function keyIndex(): string {
  return moduleIndex({
    folder: MODULES,
    file: "keys/keys.ts",
    parts: [{ name: "keys", joined: "members", index: "keys" }],
    declared: { keys: { comment: "Keys of modules: their branch of the root seed, and what opens it." } },
  })
}

/** The settings of modules, as the operator writes them and as they are read. */
export function settingIndex(): string {
  return moduleIndex({
    folder: MODULES,
    file: "settings/settings.ts",
    parts: [
      { name: "shape", joined: "members", index: "shape" },
      { name: "settings", joined: "members", index: "settings" },
    ],
    declared: {
      shape: { comment: "Settings as the operator writes them, without prefix." },
      settings: { comment: "How each setting is made of these." },
    },
  })
}

/** The calls of the API tier that modules answer. */
export function callIndex(): string {
  return moduleIndex({
    folder: MODULES,
    file: "calls/calls.ts",
    parts: [{ name: "calls", joined: "members", index: "calls" }],
    declared: { calls: { comment: "Handlers of calls, by their names in the proto." } },
  })
}

/** The folder of the pure halves of modules, which signer, services and browser share. */
const PURE_MODULES = "signer/core/modules"

/** The indexes of the pure halves: by their file below PURE_MODULES. */
export function pureIndexes(): { readonly [file: string]: string } {
  return {
    "parameters.ts": moduleIndex({
      folder: PURE_MODULES,
      file: "parameters.ts",
      parts: [{ name: "parameters", joined: "members", index: "parametersByType" }],
      imports: 'import type { ShownByType } from "../policy/parameters/shown-parameters.ts"\n',
      declared: {
        parametersByType: {
          comment: "The parameters that policies see, by the activity's type.",
          type: "ShownByType",
        },
      },
    }),
    "facts.ts": moduleIndex({
      folder: PURE_MODULES,
      file: "facts.ts",
      parts: [{ name: "facts", joined: "members", index: "facts" }],
      imports: 'import type { RootBuilders } from "../policy/facts/item.ts"\n',
      declared: {
        facts: { comment: "Builders of the roots that conditions of policies read.", type: "RootBuilders" },
      },
    }),
    "namespaces.ts": moduleIndex({
      folder: PURE_MODULES,
      file: "namespaces.ts",
      parts: [{ name: "roots", joined: "members", index: "roots" }],
      first: ["policies", "wallets"],
      declared: { roots: { comment: "Types of these roots." } },
    }),
    "words.ts": moduleIndex({
      folder: PURE_MODULES,
      file: "words.ts",
      parts: [{ name: "writers", joined: "members", index: "writers" }],
      declared: {
        writers: { comment: "Words of the activities of all modules, by the names of their intents." },
      },
    }),
    "controls.ts": moduleIndex({
      folder: PURE_MODULES,
      file: "controls.ts",
      parts: [{ name: "controls", joined: "members", index: "controls" }],
      declared: { controls: { comment: "Velocity controls in decisions." } },
    }),
  }
}
