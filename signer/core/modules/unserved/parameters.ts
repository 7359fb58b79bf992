// Parameters of activities that the contract has and this release does not serve: policies can name them already.
import type { ShownByType } from "../../policy/parameters/shown-parameters.ts"
import { earn } from "./earn.ts"
import { spark } from "./spark.ts"
import { swap } from "./swap.ts"

export const parameters: ShownByType = { ...earn, ...spark, ...swap }
