#!/usr/bin/env python3
"""Trains a network by proximal policy optimisation (PPO) to follow a line across a slope, with PyTorch.

    train_ppo.py [SECONDS]

SECONDS of training, 60 if not given. The policy is compared with random actions and with driving straight ahead, on slopes
that the training has not seen.
"""

import sys
import time
import warnings

import numpy as np
import torch
from torch import nn

import grouser
from grouser.env import PathFollow, VectorEnv

warnings.simplefilter("ignore", grouser.GrouserWarning)
ENVS, ROLLOUT, EPOCHS, BATCH = 16, 64, 6, 256
GAMMA, LAMBDA, CLIP, RATE, ENTROPY = 0.98, 0.95, 0.2, 1e-3, 1e-3
# Specific force to the left, heading, distance from the line, speed; the others add noise. In units of their usual size.
USED, SCALE = [1, 2, 3, 4], np.array([0.2, 0.5, 0.3, 1.0], np.float32)


def seen(observations):
    """What the networks get."""
    return torch.from_numpy(observations[:, USED] / SCALE)


def network(outputs):
    """Two hidden layers."""
    return nn.Sequential(nn.Linear(len(USED), 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, outputs))


class Agent:
    """A normal distribution of (speed, turn) around the output of one network, and the value of a state by another."""

    def __init__(self):
        self.mean, self.value = network(2), network(1)
        with torch.no_grad():
            self.mean[-1].weight *= 0.01
            self.mean[-1].bias[0] = 0.5  # ahead, or it would stay where it is
        self.log_deviation = nn.Parameter(torch.full((2,), -0.7))
        parameters = [*self.mean.parameters(), *self.value.parameters(), self.log_deviation]
        self.parameters, self.optimiser = parameters, torch.optim.Adam(parameters, RATE)

    def distribution(self, states):
        """Of actions."""
        return torch.distributions.Normal(self.mean(states), self.log_deviation.exp())

    def act(self, observations):
        """The mean action, without exploration."""
        with torch.no_grad():
            return self.mean(seen(observations)).numpy()


def collect(agent, envs, observations):
    """A rollout of all environments: states, actions, their log probabilities, advantages, returns, and the last observations."""
    states, actions, logs, values, rewards, ends = [], [], [], [], [], []
    with torch.no_grad():
        for _ in range(ROLLOUT):
            state = seen(observations)
            distribution = agent.distribution(state)
            action = distribution.sample()
            observations, reward, terminated, truncated, _ = envs.step(np.clip(action.numpy(), -1, 1))
            states.append(state)
            actions.append(action)
            logs.append(distribution.log_prob(action).sum(1))
            values.append(agent.value(state)[:, 0])
            rewards.append(torch.tensor(reward, dtype=torch.float32))
            ends.append(torch.tensor(terminated | truncated, dtype=torch.float32))
        following = agent.value(seen(observations))[:, 0]
    advantage, advantages = torch.zeros(ENVS), []
    for value, reward, end in zip(reversed(values), reversed(rewards), reversed(ends)):
        error = reward + GAMMA * following * (1 - end) - value
        advantage = error + GAMMA * LAMBDA * (1 - end) * advantage
        advantages.insert(0, advantage)
        following = value
    advantages = torch.cat(advantages)
    return torch.cat(states), torch.cat(actions), torch.cat(logs), advantages, advantages + torch.cat(values), observations


def improve(agent, states, actions, logs, advantages, returns):
    """Some epochs of the clipped objective."""
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(states)).split(BATCH):
            distribution = agent.distribution(states[chosen])
            ratio = (distribution.log_prob(actions[chosen]).sum(1) - logs[chosen]).exp()
            gain = torch.min(ratio * advantages[chosen], ratio.clamp(1 - CLIP, 1 + CLIP) * advantages[chosen]).mean()
            loss = (agent.value(states[chosen])[:, 0] - returns[chosen]).square().mean()
            agent.optimiser.zero_grad()
            (0.01 * loss - gain - ENTROPY * distribution.entropy().mean()).backward()
            nn.utils.clip_grad_norm_(agent.parameters, 0.5)
            agent.optimiser.step()


def evaluate(policy, seed=1000):
    """Mean return of one episode on each of ENVS slopes."""
    with VectorEnv(PathFollow, ENVS) as envs:
        observations, _ = envs.reset(seed=seed)
        total, running = np.zeros(ENVS), np.ones(ENVS, bool)
        while running.any():
            observations, rewards, terminations, truncations, _ = envs.step(np.clip(policy(observations), -1, 1))
            total += rewards * running
            running &= ~(terminations | truncations)
    return total.mean()


def train(seconds):
    """Trains for a time. Returns the agent and the number of steps of all environments."""
    torch.manual_seed(1)
    torch.set_num_threads(1)  # the networks are small; the environments have their own threads
    agent, steps, end = Agent(), 0, time.monotonic() + seconds
    with VectorEnv(PathFollow, ENVS, autoreset="same_step") as envs:
        observations, _ = envs.reset(seed=1)
        while time.monotonic() < end:
            *rollout, observations = collect(agent, envs, observations)
            improve(agent, *rollout)
            steps += ENVS * ROLLOUT
            print(f"{steps:7} steps: mean reward {rollout[4].mean().item() * (1 - GAMMA):.3f}, deviation {agent.log_deviation.exp().mean().item():.2f}")
    return agent, steps


if __name__ == "__main__":
    duration = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    random = np.random.default_rng(1)
    by_chance = evaluate(lambda observations: random.uniform(-1, 1, (ENVS, 2)))
    straight = evaluate(lambda observations: np.tile([1.0, 0.0], (ENVS, 1)))
    trained, count = train(duration)
    learned = evaluate(trained.act)
    print(f"mean return: random {by_chance:.1f}, straight ahead {straight:.1f}, PPO {learned:.1f} after {count} steps in {duration:g} s")
    print("beats random" if learned > by_chance + 5 else "does not beat random")
    print("beats driving straight ahead" if learned > straight else "does not beat driving straight ahead")
