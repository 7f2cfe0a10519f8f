import { defineConfig } from "@hey-api/openapi-ts";

export default defineConfig({
  input: "../../openapi.yaml",
  output: "build/hey-api",
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "zod", { name: "@hey-api/sdk", validator: true }],
});
