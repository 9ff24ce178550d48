/**
 * Makes clients from docs/openapi with the generators that people use, compiles each and runs its tour. Every tool comes
 * from its own registry with its ordinary program, and all that it downloads goes into the folder.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { folderWith, pathFolders } from '../kit/find.ts';

const VERSIONS = {
  openapiGenerator: '7.25.0',
  oapiCodegen: 'v2.8.2',
  openapiFetch: '0.17.0',
};

const root = join(import.meta.dirname, '..');
const programs = join(import.meta.dirname, 'programs');
const documents = ['back-office', 'partner'] as const;

export interface Client {
  name: string;
  /** The programs that it needs. */
  tools: string[];
  /** Generates, compiles and runs; resolves to what was printed, a line of JSON among it. */
  tour(folder: string, env: Record<string, string>): Promise<string>;
}

/** Why the client is not made here; null if it is. */
export function whyNot({ tools }: Client, env = process.env): string | null {
  if (env.GENERATE_CLIENTS !== 'on') return 'it takes minutes; set GENERATE_CLIENTS=on';
  const missing = tools.filter((tool) => folderWith([tool], pathFolders()) === null);
  return missing.length === 0 ? null : `${missing.join(' and ')} is missing`;
}

const python: Client = {
  name: 'openapi-generator for Python',
  tools: ['java', 'mvn', 'python3'],
  async tour(folder, env) {
    for (const name of documents) {
      const packageName = `bellhop_${name.replace('-', '_')}`;
      await openapiGenerator(folder, name, 'python', ['--package-name', packageName]);
    }
    await run(folder, 'python3', ['-m', 'venv', 'venv']);
    const inVenv = (program: string) => join(folder, 'venv', 'bin', program);
    const packages = documents.map((name) => `./${name}`);
    await run(folder, inVenv('pip'), ['install', '--quiet', '--no-cache-dir', ...packages]);
    await run(folder, inVenv('python'), ['-m', 'compileall', '-q', ...packages]);
    return run(folder, inVenv('python'), [join(programs, 'tour.py')], env);
  },
};

const java: Client = {
  name: 'openapi-generator for Java',
  tools: ['java', 'javac', 'mvn'],
  async tour(folder, env) {
    // Both into one project: they have packages of their own and need the same libraries.
    for (const name of documents) {
      const own = `bellhop.${name.replace('-', '_')}`;
      const packages = Object.entries({ invoker: own, api: `${own}.api`, model: `${own}.model` });
      const options = packages.flatMap(([kind, path]) => [`--${kind}-package`, path]);
      await openapiGenerator(folder, name, 'java', options, 'project');
    }
    const project = join(folder, 'project');
    await copyFile(join(programs, 'Tour.java'), join(project, 'src/main/java/Tour.java'));
    const goals = ['compile', 'exec:java', '-Dexec.mainClass=Tour', '-Dmaven.test.skip'];
    return maven(folder, [...goals, '-Dexec.cleanupDaemonThreads=false'], project, env);
  },
};

const go: Client = {
  name: 'oapi-codegen for Go',
  tools: ['go'],
  async tour(folder, env) {
    const inFolder = {
      ...env,
      GOENV: (await run(folder, 'go', ['env', 'GOENV'])).trim(),
      GOPATH: join(folder, 'go'),
      // Without it, the modules could not be deleted.
      GOFLAGS: '-modcacherw',
      XDG_CACHE_HOME: join(folder, 'cache'),
      XDG_CONFIG_HOME: join(folder, 'config'),
    };
    // Beside the module cache, because `./...` would find packages in there as well.
    const module = join(folder, 'module');
    const generator = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${VERSIONS.oapiCodegen}`;
    for (const name of documents) {
      const packageName = name.replace('-', '');
      await mkdir(join(module, packageName), { recursive: true });
      const into = ['-package', packageName, '-o', `${packageName}/client.go`];
      const made = ['run', generator, '-generate', 'types,client', ...into, documentOf(name)];
      await run(module, 'go', made, inFolder);
    }
    await copyFile(join(programs, 'tour.go'), join(module, 'tour.go'));
    await run(module, 'go', ['mod', 'init', 'tour'], inFolder);
    await run(module, 'go', ['mod', 'tidy'], inFolder);
    await run(module, 'go', ['vet', './...'], inFolder);
    return run(module, 'go', ['run', '.'], inFolder);
  },
};

const typescript: Client = {
  name: 'openapi-typescript',
  tools: ['npm'],
  async tour(folder, env) {
    // Not above, because it loads a compiler, and mostly this file only finds out that nothing is to be done.
    const { default: openapiTypescript, astToString } = await import('openapi-typescript');
    for (const name of documents) {
      const nodes = await openapiTypescript(new URL(`file://${documentOf(name)}`));
      await writeFile(join(folder, `${name}.ts`), astToString(nodes));
    }
    await copyFile(join(programs, 'tour.ts'), join(folder, 'tour.ts'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const fetcher = `openapi-fetch@${VERSIONS.openapiFetch}`;
    await run(folder, 'npm', ['install', '--no-audit', '--cache', 'cache', fetcher]);
    const checks = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024'];
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types')];
    const loose = ['--skipLibCheck', '--allowImportingTsExtensions', '--ignoreConfig'];
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    await run(folder, tsc, [...checks, ...types, ...loose, 'tour.ts']);
    return run(folder, process.execPath, ['tour.ts'], env);
  },
};

export const clients: readonly Client[] = [python, java, go, typescript];

function documentOf(name: string): string {
  return join(root, 'docs', 'openapi', `${name}.json`);
}

async function openapiGenerator(
  folder: string,
  name: string,
  generator: string,
  options: readonly string[],
  into = name,
): Promise<void> {
  const artifact = `org.openapitools:openapi-generator-cli:${VERSIONS.openapiGenerator}`;
  await maven(folder, ['dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]);
  const jar = join(folder, `openapi-generator-cli-${VERSIONS.openapiGenerator}.jar`);
  const what = ['-g', generator, '-i', documentOf(name), '-o', join(folder, into)];
  await run(folder, 'java', ['-jar', jar, 'generate', ...what, ...options]);
}

function maven(
  folder: string,
  args: readonly string[],
  project = folder,
  env: Record<string, string> = {},
): Promise<string> {
  const repository = `-Dmaven.repo.local=${join(folder, 'maven')}`;
  return run(project, 'mvn', ['--batch-mode', '--quiet', repository, ...args], env);
}

/** Resolves to what it printed; if it fails, the end of that is in the error. */
async function run(
  folder: string,
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 64 * 1_048_576 };
  try {
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    const said = `${stdout}\n${stderr}`.trim().slice(-4_000);
    throw new Error(`${program} ${args.join(' ')} failed:\n${said}`);
  }
}
