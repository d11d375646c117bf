import { StringDecoder } from "node:string_decoder";

/** Cuts a stream of bytes into lines, however the stream was cut into chunks. */
export class LineSplitter {
  readonly #decoder = new StringDecoder("utf8");
  #parts: string[] = [];

  constructor(private readonly onLine: (line: string) => void) {}

  push(chunk: Buffer): void {
    const [first = "", ...rest] = this.#decoder.write(chunk).split("\n");
    this.#parts.push(first);
    for (const part of rest) {
      const line = this.#parts.join("");
      this.#parts = [part];
      this.onLine(line);
    }
  }
}
