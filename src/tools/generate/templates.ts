/**
 * Sentences with gaps. A gap names a kind of word, `{noun}`, and in Korean its particle, `{noun:을/를}`: the first after
 * a consonant, the second after a vowel. Kinds: noun, nouns, verb, verbing, verbed, adjective, tool, code, path, error,
 * number, version, name.
 */
export interface Templates {
  readonly title: readonly string[]
  readonly problem: readonly string[]
  readonly ask: readonly string[]
  readonly answer: readonly string[]
  readonly reply: readonly string[]
}

const lines = (text: string) => text.trim().split('\n')

export const ENGLISH: Templates = {
  title: lines(`
How do I {verb} the {noun} in {tool}?
Why does {code} return an {adjective} {noun}?
{error} when I {verb} a {noun}
What is the difference between {code} and {code}?
Is it right to {verb} {nouns} in the {noun}?
{tool}: the {noun} is {adjective} after I {verb} the {noun}
Where should I {verb} the {adjective} {noun}?
Cannot {verb} the {noun} with {code}
How can {name} {verb} a {noun} without the {noun}?
Should {path} return the {noun} or only its {noun}?
The {noun} of {name} is not {verbed} in {tool} {version}
Can a {noun} have more than one {noun}?
{verbing} {nouns} in the {noun} of {tool} is slow
Which {noun} do I need for {path}?`),
  problem: lines(`
I am trying to {verb} a {noun} as in the lecture, but the {noun} is always {adjective}.
My {noun} has a {adjective} {noun} called {code}, and it works until I {verb} it.
When I send {path} with {tool}, the {noun} is {adjective} and I get {error}.
I also tried to {verb} the {noun} with {code}, without any change.
In the {noun} there is only a line about {error} at line {number}.
The {noun} is {verbed} by {code} before the {noun} is {verbed}.
We use {tool} {version} together with {tool} in our project {name}.
It happens only when there are more than {number} {nouns} in the {noun}.
On my machine {code} works, on the server the same {noun} does not.
The documentation of {tool} says that {nouns} should be {verbed} by the {noun}.
I read about {verbing} {nouns}, but I do not see how it fits the {adjective} {noun} here.
Before that I had a {noun} for each {noun}, which was {adjective} as well.
As far as I understand, {code} only looks at the {noun} of {name}.
The example of the lecture has no {noun}, so there it is not a problem.
After {verbing} the {noun} to {version} the {noun} of {code} changed.`),
  ask: lines(`
How can I {verb} the {noun} so that the {noun} stays {adjective}?
What am I doing wrong with the {noun}?
Is there a {adjective} way to {verb} {nouns} with {tool}?
Should the {noun} be part of {code} or of its own {noun}?
Does anybody know why the {noun} is not {verbed}?
Could you explain what {code} does with the {noun}?
Is that how it is meant, or is it a {noun} of {tool}?`),
  answer: lines(`
The {noun} is {verbed} only once, so you have to {verb} it before the {noun} starts.
Use {code} instead of {code}: it does not need a {adjective} {noun}.
That is because {tool} looks for a {noun} of the same {noun} first.
You can {verb} the {noun} in {code} and leave the {noun} as it is.
Have a look at the {noun} that {path} returns: the {noun} is missing there.
With {version} of {tool} this changed, and {nouns} are now {verbed} by default.
In general a {noun} should not know about the {noun} that it is {verbed} by.
If the {noun} is {adjective}, {code} throws {error}, which you see in the {noun}.
I would {verb} a {adjective} {noun} for that, as in the lecture about {nouns}.
There are two ways: {verb} each {noun} yourself, or let {tool} {verb} them.
The {adjective} way is to {verb} the {noun} at the border of the {noun}.
Then {code} gets {number} {nouns} instead of one, and the {noun} is right.
Please check that the {noun} in {name} has the {adjective} {noun}.
For {nouns} that are {adjective} the {noun} of {tool} is enough.
It is a question of taste, but {verbing} {nouns} in the {noun} keeps the {noun} {adjective}.
Do not {verb} the {noun} inside the {noun}, or the next {noun} will wait for it.`),
  reply: lines(`
Thank you, after {verbing} the {noun} it works.
That was it: the {noun} was {adjective} and {code} did not see it.
Which {noun} do you mean, the one of {code} or the one of {name}?
Could you show the {noun} of {code} and the whole {noun}?
I tried that with {tool} {version}, and now I get {error}.
It also works when I {verb} the {noun}, is that just as good?
What happens when the {noun} is {adjective} at that moment?
Now I understand why the {noun} has to be {verbed} first.
Please add which version of {tool} you use, and the {noun} in the log.`),
}

export const KOREAN: Templates = {
  title: lines(`
{tool}에서 {noun:을/를} {verb}하려면 어떻게 해야 하나요?
{code:이/가} 왜 {noun:을/를} 반환하지 않나요?
{noun:을/를} {verb}할 때 {error} 오류가 발생합니다
{noun:과/와} {noun}의 차이가 궁금합니다
{noun} {verb} 방법 질문드립니다
{path} 요청에서 {noun:이/가} 비어 있습니다
{noun:은/는} 어디에서 {verb}하는 게 맞나요?
{tool} {version}에서 {noun:이/가} {verb}되지 않아요
{name} 프로젝트의 {noun} {verb} 관련 질문입니다
{code:을/를} 꼭 {verb}해야 하나요?
{noun}마다 {noun:을/를} 따로 두어야 할까요?`),
  problem: lines(`
강의를 따라 {noun:을/를} {verb}했는데 {noun:이/가} 계속 비어 있습니다.
{path} 요청을 보내면 {noun} 대신 {error} 오류가 나옵니다.
{code}에 {noun:을/를} 추가했지만 결과는 그대로입니다.
{noun:을/를} {verb}하기 전에는 문제없이 동작했습니다.
{tool} {version} 버전을 사용하고 있고 {noun:은/는} {code:으로/로} {verb}했습니다.
로그에는 {number}번째 줄에서 {noun:이/가} {verb}되었다고만 나옵니다.
검색해 보니 {noun:을/를} 먼저 {verb}하라는 글이 많았습니다.
제 컴퓨터에서는 되는데 서버에서는 {noun:이/가} {verb}되지 않습니다.
{noun:이/가} {number}개를 넘으면 {noun}에서만 이런 현상이 생깁니다.
예제에는 {noun:이/가} 없어서 {code:을/를} 어디에 두어야 할지 모르겠습니다.
{name} 프로젝트에서는 {noun:과/와} {noun:을/를} 함께 쓰고 있습니다.
{noun:은/는} {verb}되지만 {noun}까지는 전달되지 않는 것 같습니다.`),
  ask: lines(`
어떻게 하면 {noun:을/를} {verb}할 수 있을까요?
{noun:을/를} {verb}하는 더 좋은 방법이 있나요?
제가 {noun:을/를} 잘못 이해한 걸까요?
{code:은/는} 왜 {noun:을/를} {verb}하지 않는지 궁금합니다.
{noun:과/와} {noun} 중에 무엇을 선택해야 하나요?
답변 부탁드립니다.`),
  answer: lines(`
{noun:은/는} 한 번만 {verb}되기 때문에 {noun}보다 먼저 {verb}해야 합니다.
{code} 대신 {code:을/를} 사용하면 {noun:이/가} 필요 없습니다.
{tool:은/는} 이름이 같은 {noun:을/를} 먼저 찾습니다.
{noun:을/를} {code}에서 {verb}하고 나머지는 그대로 두세요.
{path} 응답을 보면 {noun:이/가} 빠져 있습니다.
{tool} {version}부터는 {noun:이/가} 기본으로 {verb}됩니다.
{noun:이/가} 비어 있으면 {code:이/가} {error} 예외를 던집니다.
이럴 때는 {noun:을/를} 따로 만드는 편이 좋습니다.
방법은 두 가지입니다. 직접 {noun:을/를} {verb}하거나 {tool}에 맡기면 됩니다.
{noun:과/와} {noun:은/는} 서로 몰라야 나중에 {verb}하기 쉽습니다.
강의의 {noun} 부분을 다시 보시면 {noun:을/를} {verb}하는 이유가 나옵니다.
{name}의 {noun} 설정을 한 번 확인해 주세요.
{number}개 정도라면 {noun:으로/로} 충분합니다.`),
  reply: lines(`
감사합니다. {noun:을/를} {verb}하니 잘 됩니다.
말씀하신 {noun:은/는} {code:을/를} 뜻하는 건가요?
{noun} 전체와 {code} 코드를 보여 주시겠어요?
{tool} {version:으로/로} 해 보니 이번에는 {error} 오류가 나옵니다.
이제 {noun:을/를} 왜 먼저 {verb}하는지 이해했습니다.
{noun:이/가} {verb}되지 않았을 때는 어떻게 되나요?
덕분에 {noun} 문제를 해결했습니다.`),
}
