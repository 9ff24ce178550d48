/** Something real that tests need and npm does not install: a database, a browser. */
export interface Part {
  name: string;
  /** The environment variable that names one to use; `none` runs the tests without it. */
  setting: string;
  aptPackage: string;
  /** For people: whole sentences. */
  howToGet: string;
  isInstalled(): boolean;
  /** Only called when it is installed. */
  start(): Promise<StartedPart>;
}

export interface StartedPart {
  /** What tests get from vitest's `inject`, such as a URL. */
  value: string;
  /** For people, where it is not a throw-away server. */
  line?: string;
  end(): Promise<void>;
}
