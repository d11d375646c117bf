import { StringDecoder } from "node:string_decoder";

/** Longer lines are cut: Node cannot hold much longer text, and no server writes it. */
const LONGEST = 256 * 1024 * 1024;

/** Cuts a stream of bytes into lines, however the stream was cut into chunks. */
export class LineSplitter {
  readonly #decoder = new StringDecoder("utf8");
  #parts: string[] = [];
  #length = 0;

  constructor(
    private readonly onLine: (line: string) => void,
    private readonly longest = LONGEST,
  ) {}

  push(chunk: Buffer): void {
    const [first = "", ...rest] = this.#decoder.write(chunk).split("\n");
    this.#add(first);
    for (const part of rest) {
      this.#emit();
      this.#add(part);
    }
  }

  #add(part: string): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length > this.longest) this.#emit();
  }

  #emit(): void {
    const line = this.#parts.join("");
    this.#parts = [];
    this.#length = 0;
    this.onLine(line);
  }
}
